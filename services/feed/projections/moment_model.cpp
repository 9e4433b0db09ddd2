#include "feed/projections/moment_model.hpp"

#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;

std::string as_json(const AudienceLists& lists) {
  Json users = Json::array();
  for (const core::AccountId& user : lists.user_ids) users.push_back(user.to_string());
  return Json{{"group_ids", lists.group_ids}, {"tag_ids", lists.tag_ids}, {"user_ids", users}}
      .dump();
}

// A deletion leaves nothing of what was said and for whom, only that it was: so the row is the same
// whether it comes with what was before it or later.
constexpr const char* kUpsert = R"(
INSERT INTO moment (author_partition, id, author, audience, lists, content, images, published_at,
                    deleted, mentions, repost_of, has_poll)
SELECT author_partition, id, author, audience, lists, content, images, published_at, deleted,
       mentions::uuid[], repost_of, has_poll
FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[],
            $7::jsonb[], $8::timestamptz[], $9::boolean[], $10::text[], $11::bigint[],
            $12::boolean[])
     AS published (author_partition, id, author, audience, lists, content, images, published_at,
                   deleted, mentions, repost_of, has_poll)
ON CONFLICT (id, author_partition) DO UPDATE
  SET audience = excluded.audience, lists = excluded.lists, audience_changes = 0, content = NULL,
      images = excluded.images, mentions = excluded.mentions, repost_of = NULL,
      deleted = true
  WHERE excluded.deleted)";

constexpr const char* kChangeAudiences = R"(
UPDATE moment SET audience = changed.audience, lists = changed.lists,
                  audience_changes = changed.number
FROM unnest($1::smallint[], $2::bigint[], $3::text[], $4::jsonb[], $5::smallint[])
     AS changed (author_partition, id, audience, lists, number)
WHERE moment.author_partition = changed.author_partition AND moment.id = changed.id
  AND NOT moment.deleted AND moment.audience_changes < changed.number)";

constexpr const char* kInsertEdits = R"(
INSERT INTO moment_edit (author_partition, moment, edit, content, edited_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::text[], $5::timestamptz[])
ON CONFLICT (moment, edit, author_partition) DO NOTHING)";

constexpr const char* kDeleteEdits = R"(
DELETE FROM moment_edit
WHERE author_partition = ANY ($1::smallint[]) AND moment = ANY ($2::bigint[]))";

}  // namespace

void MomentModel::clear() {
  changed_.clear();
  edited_.clear();
  audiences_.clear();
}

void MomentModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::MomentPublished, read::MomentEdited, read::MomentAudienceChanged,
                             read::MomentDeleted>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (auto* published = std::get_if<read::MomentPublished>(&*known)) {
    const core::MomentId id = published->id;
    changed_[id] = {std::move(*published), false};
  } else if (auto* edited = std::get_if<read::MomentEdited>(&*known)) {
    const EditKey key{edited->id, edited->edit};
    edited_[key] = std::move(*edited);
  } else if (auto* changed = std::get_if<read::MomentAudienceChanged>(&*known)) {
    const core::MomentId id = changed->id;
    audiences_[id] = std::move(*changed);
  } else if (const auto* deleted = std::get_if<read::MomentDeleted>(&*known)) {
    Change& change = changed_[deleted->id];
    change.published.id = deleted->id;
    change.published.author = deleted->author;
    change.published.audience = Audience::Private;
    change.published.lists = {};
    change.published.images.clear();
    change.published.mentions.clear();
    change.published.repost_of.reset();
    change.deleted = true;
    audiences_.erase(deleted->id);
    std::erase_if(edited_, [&](const auto& edit) { return edit.first.first == deleted->id; });
  }
}

void MomentModel::flush(sql::Transaction& transaction) const {
  write_moments(transaction);
  write_audiences(transaction);
  write_edits(transaction);
}

void MomentModel::write_moments(sql::Transaction& transaction) const {
  using read::MomentPublished;
  const auto of_moment = [](auto... members) { return sql::at(&Change::published, members...); };
  sql::write_batch(
      transaction, kUpsert, changed_, core::author_partition, sql::kKey,
      of_moment(&MomentPublished::author),
      of_moment(&MomentPublished::audience, [](Audience audience) { return to_string(audience); }),
      of_moment(&MomentPublished::lists, as_json),
      [](const Change& change) {
        return change.deleted ? std::nullopt : std::optional(change.published.sealed_content);
      },
      of_moment(&MomentPublished::images, [](const auto& images) { return Json(images).dump(); }),
      of_moment(&MomentPublished::published_at), &Change::deleted,
      of_moment(&MomentPublished::mentions, sql::kArrayText),
      of_moment(&MomentPublished::repost_of), of_moment(&MomentPublished::has_poll));
}

void MomentModel::write_audiences(sql::Transaction& transaction) const {
  using read::MomentAudienceChanged;
  sql::write_batch(transaction, kChangeAudiences, audiences_,
                   sql::at(&MomentAudienceChanged::id, core::author_partition),
                   &MomentAudienceChanged::id,
                   sql::at(&MomentAudienceChanged::audience,
                           [](Audience audience) { return to_string(audience); }),
                   sql::at(&MomentAudienceChanged::lists, as_json), &MomentAudienceChanged::change);
}

void MomentModel::write_edits(sql::Transaction& transaction) const {
  using read::MomentEdited;
  sql::write_batch(transaction, kInsertEdits, edited_,
                   sql::at(&MomentEdited::id, core::author_partition), &MomentEdited::id,
                   &MomentEdited::edit, &MomentEdited::sealed_content, &MomentEdited::edited_at);
  const auto is_deleted = [](const auto& entry) { return entry.second.deleted; };
  sql::write_batch(transaction, kDeleteEdits, changed_ | std::views::filter(is_deleted),
                   core::author_partition, sql::kKey);
}

}  // namespace tideline::feed
