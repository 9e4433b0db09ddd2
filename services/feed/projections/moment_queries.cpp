#include "feed/projections/moment_queries.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/check.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;

// The columns hold what MomentModel has written.
AudienceLists lists_of(const std::string& text) {
  const Json json = Json::parse(text);
  AudienceLists lists;
  json.at("group_ids").get_to(lists.group_ids);
  json.at("tag_ids").get_to(lists.tag_ids);
  for (const auto& user : json.at("user_ids")) {
    const auto account = core::AccountId::parse(user.get<std::string>());
    CHECK(account.has_value(), "the projection writes account ids");
    lists.user_ids.push_back(*account);
  }
  return lists;
}

MomentRow to_moment(const sql::Row& row) {
  MomentRow moment;
  moment.id = core::MomentId(static_cast<std::uint64_t>(row.integer(0)));
  moment.author = row.account(1);
  const auto audience = parse_audience(row.text(2));
  CHECK(audience.has_value(), "the projection writes audiences by name");
  moment.audience = *audience;
  moment.lists = lists_of(row.text(3));
  moment.sealed_content = row.nullable_text(4);
  moment.images = Json::parse(row.text(5)).get<std::vector<std::string>>();
  moment.published_at = row.timestamp_us(6);
  moment.deleted = row.boolean(7);
  moment.audience_changes = static_cast<std::uint32_t>(row.integer(8));
  moment.mentions = mentions_in(row, 9);
  if (!row.is_null(10)) {
    moment.repost_of = core::MomentId(static_cast<std::uint64_t>(row.integer(10)));
  }
  moment.has_poll = row.boolean(11);
  return moment;
}

}  // namespace

std::vector<core::AccountId> mentions_in(const sql::Row& row, std::size_t column) {
  std::vector<core::AccountId> mentions;
  for (const std::string& text : row.text_array(column)) {
    mentions.push_back(core::AccountId::parse_uuid(text).value());
  }
  return mentions;
}

const char* const kFindMomentsSql = R"(
SELECT id, author, audience, lists, content, images,
       (extract(epoch FROM published_at) * 1000000)::bigint, deleted,
       audience_changes, mentions, repost_of, has_poll
FROM moment WHERE author_partition = ANY ($1::smallint[]) AND id = ANY ($2::bigint[]))";

std::map<core::MomentId, MomentRow> find_moments(sql::Transaction& transaction,
                                                 std::span<const core::MomentId> ids) {
  std::map<core::MomentId, MomentRow> found;
  if (ids.empty()) return found;
  std::set<int> partitions;
  for (const core::MomentId id : ids) partitions.insert(core::author_partition(id));
  const auto rows =
      transaction.execute(kFindMomentsSql, {std::vector<int>(partitions.begin(), partitions.end()),
                                            std::vector<core::MomentId>(ids.begin(), ids.end())});
  for (const auto& row : rows) {
    MomentRow moment = to_moment(row);
    const core::MomentId id = moment.id;
    found.emplace(id, std::move(moment));
  }
  return found;
}

const char* const kReferencedUploadsSql =
    "SELECT author, jsonb_array_elements_text(images) FROM moment WHERE images <> '[]'"
    " UNION SELECT sender, jsonb_array_elements_text(images) FROM message WHERE images <> '[]'";

const char* const kFindEditsSql = R"(
SELECT moment, edit, content, (extract(epoch FROM edited_at) * 1000000)::bigint
FROM moment_edit WHERE author_partition = ANY ($1::smallint[])
  AND moment = ANY ($2::bigint[]) AND edit = ANY ($3::smallint[]))";

std::map<MomentEditKey, MomentEditRow> find_edits(sql::Transaction& transaction,
                                                  std::span<const MomentEditKey> edits) {
  std::map<MomentEditKey, MomentEditRow> found;
  if (edits.empty()) return found;
  std::set<int> partitions;
  std::vector<core::MomentId> moments;
  std::vector<std::uint32_t> numbers;
  for (const auto& [moment, edit] : edits) {
    partitions.insert(core::author_partition(moment));
    moments.push_back(moment);
    numbers.push_back(edit);
  }
  for (const auto& row : transaction.execute(
           kFindEditsSql,
           {std::vector<int>(partitions.begin(), partitions.end()), moments, numbers})) {
    const core::MomentId moment(static_cast<std::uint64_t>(row.integer(0)));
    found.emplace(MomentEditKey{moment, static_cast<std::uint32_t>(row.integer(1))},
                  MomentEditRow{row.text(2), row.timestamp_us(3)});
  }
  return found;
}

}  // namespace tideline::feed
