#include "feed/projections/moment_projection.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace tideline::feed {
namespace {

using Json = nlohmann::json;

std::string lists_as_json(const AudienceLists& lists) {
  Json users = Json::array();
  for (const core::AccountId& user : lists.user_ids) users.push_back(user.to_string());
  return Json{{"group_ids", lists.group_ids}, {"tag_ids", lists.tag_ids}, {"user_ids", users}}
      .dump();
}

// A deletion leaves nothing of what was said, only that it was.
constexpr const char* kUpsert = R"(
INSERT INTO moment (author_partition, id, author, audience, lists, content, images, published_at,
                    deleted)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::text[], $5::jsonb[], $6::text[],
                     $7::jsonb[], $8::timestamptz[], $9::boolean[])
ON CONFLICT (id, author_partition) DO UPDATE
  SET lists = excluded.lists, content = NULL, images = excluded.images, deleted = true
  WHERE excluded.deleted)";

constexpr const char* kInsertEdits = R"(
INSERT INTO moment_edit (author_partition, moment, edit, content, edited_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::smallint[], $4::text[], $5::timestamptz[])
ON CONFLICT (moment, edit, author_partition) DO NOTHING)";

constexpr const char* kDeleteEdits = R"(
DELETE FROM moment_edit
WHERE author_partition = ANY ($1::smallint[]) AND moment = ANY ($2::bigint[]))";

}  // namespace

void MomentProjection::load(sql::Transaction&) { flushed(); }

void MomentProjection::flushed() {
  changed_.clear();
  edited_.clear();
}

void MomentProjection::apply(const eventsourcing::RecordedEvent& event) {
  auto known = read::read_event(event);
  if (!known) return;
  if (auto* published = std::get_if<read::MomentPublished>(&*known)) {
    const core::MomentId id = published->id;
    changed_[id] = {std::move(*published), false};
  } else if (auto* edited = std::get_if<read::MomentEdited>(&*known)) {
    const EditKey key{edited->id, edited->edit};
    edited_[key] = std::move(*edited);
  } else if (const auto* deleted = std::get_if<read::MomentDeleted>(&*known)) {
    Change& change = changed_[deleted->id];
    change.published.id = deleted->id;
    change.published.author = deleted->author;
    change.published.lists = {};
    change.published.images.clear();
    change.deleted = true;
    std::erase_if(edited_, [&](const auto& edit) { return edit.first.first == deleted->id; });
  }
}

void MomentProjection::flush(sql::Transaction& transaction) {
  if (!changed_.empty()) write_moments(transaction);
  write_edits(transaction);
}

void MomentProjection::write_moments(sql::Transaction& transaction) const {
  std::vector<int> partitions;
  std::vector<std::uint64_t> ids;
  std::vector<core::AccountId> authors;
  std::vector<std::string> audiences, lists, images;
  std::vector<std::optional<std::string>> contents;
  std::vector<core::Timestamp> times;
  std::vector<bool> deleted;
  for (const auto& [id, change] : changed_) {
    const read::MomentPublished& moment = change.published;
    partitions.push_back(core::author_partition(id));
    ids.push_back(id.value());
    authors.push_back(moment.author);
    audiences.emplace_back(to_string(moment.audience));
    lists.push_back(lists_as_json(moment.lists));
    contents.push_back(change.deleted ? std::nullopt : std::optional(moment.sealed_content));
    images.push_back(Json(moment.images).dump());
    times.push_back(moment.published_at);
    deleted.push_back(change.deleted);
  }
  transaction.execute(
      kUpsert, {partitions, ids, authors, audiences, lists, contents, images, times, deleted});
}

void MomentProjection::write_edits(sql::Transaction& transaction) const {
  std::vector<int> partitions, edits;
  std::vector<core::MomentId> moments;
  std::vector<std::string> contents;
  std::vector<core::Timestamp> times;
  for (const auto& [key, edit] : edited_) {
    partitions.push_back(core::author_partition(edit.id));
    moments.push_back(edit.id);
    edits.push_back(static_cast<int>(edit.edit));
    contents.push_back(edit.sealed_content);
    times.push_back(edit.edited_at);
  }
  if (!moments.empty()) {
    transaction.execute(kInsertEdits, {partitions, moments, edits, contents, times});
  }
  std::vector<int> gone_partitions;
  std::vector<core::MomentId> gone;
  for (const auto& [id, change] : changed_) {
    if (!change.deleted) continue;
    gone_partitions.push_back(core::author_partition(id));
    gone.push_back(id);
  }
  if (!gone.empty()) transaction.execute(kDeleteEdits, {gone_partitions, gone});
}

}  // namespace tideline::feed
