#include "feed/api/moment_items.hpp"

#include <algorithm>
#include <optional>

#include "feed/api/moment_codec.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/private_reads.hpp"
#include "feed/projections/moment_queries.hpp"

namespace tideline::feed {
namespace {

using http::Json;

struct Found {
  std::map<core::MomentId, MomentRow> rows;
  std::map<MomentEditKey, MomentEditRow> edits;
  PeopleByAccount people;
};

// The text that the entry shows, and when it was written if that was later.
struct ShownText {
  crypto::SealedText sealed;
  std::optional<core::Timestamp> edited_at;
};

Found read_rows(const ApiPorts& ports, eventsourcing::Transaction& transaction,
                const std::vector<TimelineEntry>& entries, const core::AccountId& viewer) {
  std::vector<core::MomentId> ids;
  std::vector<MomentEditKey> edits;
  ids.reserve(entries.size());
  for (const TimelineEntry& entry : entries) {
    ids.push_back(entry.id);
    if (entry.edits > 0) edits.emplace_back(entry.id, entry.edits);
  }
  Found found{find_moments(transaction, ids), find_edits(transaction, edits), {}};
  std::vector<core::AccountId> accounts;
  for (const auto& [id, row] : found.rows) {
    accounts.push_back(row.author);
    if (row.author != viewer) continue;
    const auto& listed = row.lists.user_ids;
    accounts.insert(accounts.end(), listed.begin(), listed.end());
  }
  found.people = ports.people.find_many(transaction, accounts);
  return found;
}

bool has_all(const Found& found, const std::vector<TimelineEntry>& entries) {
  return std::ranges::all_of(entries, [&](const TimelineEntry& entry) {
    const auto row = found.rows.find(entry.id);
    if (row == found.rows.end()) return false;
    return entry.edits == 0 || row->second.deleted || found.edits.contains({entry.id, entry.edits});
  });
}

// The engine may have applied a moment, or an edit, that the tables have not got yet.
core::Result<Found> read_all_rows(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                                  const core::AccountId& viewer) {
  return read_up_to_engine(
      ports, ports.moments_applied,
      [&](eventsourcing::Transaction& transaction) {
        return read_rows(ports, transaction, entries, viewer);
      },
      [&](const Found& found) { return has_all(found, entries); });
}

ShownText text_of(const Found& found, const TimelineEntry& entry, const MomentRow& row) {
  if (entry.edits == 0) return {{row.author, *row.sealed_content, kMomentContent}, std::nullopt};
  const MomentEditRow& edit = found.edits.at({entry.id, entry.edits});
  return {{row.author, edit.sealed_content, kEditedContent}, edit.edited_at};
}

Json item_of(const MomentRow& row, const TimelineEntry& entry,
             const std::optional<std::string>& content,
             const std::optional<core::Timestamp>& edited_at, const PeopleByAccount& people,
             bool for_author) {
  Json item{{"id", core::to_string(row.id)},
            {"author", person_json(people, row.author)},
            {"content", nullptr},
            {"images", row.images},
            {"audience", nullptr},
            {"group_ids", Json::array()},
            {"tag_ids", Json::array()},
            {"user_ids", Json::array()},
            {"published_at", core::format_iso8601(row.published_at)},
            {"edited_at", nullptr},
            {"edits", entry.edits},
            {"likes", entry.likes},
            {"liked", entry.liked},
            {"comments", entry.comments}};
  if (content) item["content"] = *content;
  if (edited_at) item["edited_at"] = core::format_iso8601(*edited_at);
  if (!for_author) return item;
  item["audience"] = to_string(row.audience);
  item["group_ids"] = row.lists.group_ids;
  item["tag_ids"] = row.lists.tag_ids;
  for (const core::AccountId& user : row.lists.user_ids) {
    Json user_id = person_json(people, user)["user_id"];
    if (!user_id.is_null()) item["user_ids"].push_back(std::move(user_id));
  }
  return item;
}

}  // namespace

http::Parsed<Json> moment_items(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                                const core::AccountId& viewer) {
  Json items = Json::array();
  if (entries.empty()) return items;
  const auto found = read_all_rows(ports, entries, viewer);
  if (!found) return http::from_error(found.error());

  std::vector<const TimelineEntry*> shown;
  std::vector<crypto::SealedText> texts;
  std::vector<std::optional<core::Timestamp>> times;
  for (const TimelineEntry& entry : entries) {
    const MomentRow& row = found->rows.at(entry.id);
    if (row.deleted || !row.sealed_content) continue;
    const ShownText text = text_of(*found, entry, row);
    shown.push_back(&entry);
    texts.push_back(text.sealed);
    times.push_back(text.edited_at);
  }
  const auto opened = ports.cipher.open_many(texts);
  if (!opened) return http::from_error(opened.error());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const MomentRow& row = found->rows.at(shown[i]->id);
    items.push_back(
        item_of(row, *shown[i], (*opened)[i], times[i], found->people, row.author == viewer));
  }
  return items;
}

http::Parsed<std::optional<core::AccountId>> author_of_image(const ApiPorts& ports,
                                                             const TimelineEntry& entry,
                                                             const core::AccountId& viewer,
                                                             std::string_view hash) {
  const auto found = read_all_rows(ports, {entry}, viewer);
  if (!found) return http::from_error(found.error());
  const MomentRow& row = found->rows.at(entry.id);
  const bool shows = !row.deleted && std::ranges::find(row.images, hash) != row.images.end();
  return shows ? std::optional(row.author) : std::nullopt;
}

http::Parsed<Json> moment_texts(const ApiPorts& ports, const TimelineEntry& entry,
                                const core::AccountId& viewer) {
  std::vector<TimelineEntry> versions;
  for (std::uint32_t edits = 0; edits <= entry.edits; ++edits) {
    versions.insert(versions.begin(), entry);
    versions.front().edits = edits;
  }
  auto items = moment_items(ports, versions, viewer);
  if (!items) return items.problem();
  Json texts = Json::array();
  for (Json& item : *items) {
    const Json& edited_at = item["edited_at"];
    texts.push_back({{"edit", item["edits"]},
                     {"content", item["content"]},
                     {"written_at", edited_at.is_null() ? item["published_at"] : edited_at}});
  }
  return texts;
}

}  // namespace tideline::feed
