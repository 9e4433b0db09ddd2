#include "feed/api/moment_items.hpp"

#include <optional>

#include "feed/api/moment_codec.hpp"
#include "feed/api/named_people.hpp"
#include "feed/projections/moment_queries.hpp"

namespace tideline::feed {
namespace {

using http::Json;

struct Found {
  std::map<core::MomentId, MomentRow> rows;
  PeopleByAccount people;
};

core::Result<Found> read_rows(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                              const core::AccountId& viewer) {
  std::vector<core::MomentId> ids;
  ids.reserve(entries.size());
  for (const TimelineEntry& entry : entries) ids.push_back(entry.id);
  return ports.database.read([&](eventsourcing::Transaction& transaction) {
    Found found{find_moments(transaction, ids), {}};
    std::vector<core::AccountId> accounts;
    for (const auto& [id, row] : found.rows) {
      accounts.push_back(row.author);
      if (row.author != viewer) continue;
      const auto& listed = row.lists.user_ids;
      accounts.insert(accounts.end(), listed.begin(), listed.end());
    }
    found.people = ports.people.find_many(transaction, accounts);
    return found;
  });
}

// The engine may have applied a moment that the table has not got yet.
core::Result<Found> read_all_rows(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                                  const core::AccountId& viewer) {
  auto found = read_rows(ports, entries, viewer);
  if (!found || found->rows.size() == entries.size()) return found;
  const auto applied = ports.engine_applied.current();
  if (ports.moments_applied.wait_for(applied, http::kPositionWaitMax)) {
    found = read_rows(ports, entries, viewer);
  }
  if (found && found->rows.size() != entries.size()) {
    return core::unavailable("table moment is behind the engine");
  }
  return found;
}

Json item_of(const MomentRow& row, const std::optional<std::string>& content,
             const PeopleByAccount& people, bool for_author) {
  Json item{{"id", core::to_string(row.id)},
            {"author", person_json(people, row.author)},
            {"content", nullptr},
            {"images", row.images},
            {"audience", nullptr},
            {"group_ids", Json::array()},
            {"tag_ids", Json::array()},
            {"user_ids", Json::array()},
            {"published_at", core::format_iso8601(row.published_at)}};
  if (content) item["content"] = *content;
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

  std::vector<const MomentRow*> rows;
  std::vector<crypto::SealedText> texts;
  for (const TimelineEntry& entry : entries) {
    const MomentRow& row = found->rows.at(entry.id);
    if (row.deleted || !row.sealed_content) continue;
    rows.push_back(&row);
    texts.push_back({row.author, *row.sealed_content, kMomentContent});
  }
  const auto opened = ports.cipher.open_many(texts);
  if (!opened) return http::from_error(opened.error());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    items.push_back(item_of(*rows[i], (*opened)[i], found->people, rows[i]->author == viewer));
  }
  return items;
}

}  // namespace tideline::feed
