#include "people/profile_view.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <vector>

#include "eventsourcing/projections/projection.hpp"
#include "sql/columns.hpp"

namespace tideline::people {
namespace {

using nlohmann::json;

std::optional<std::string> text_or_null(const json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_string()) return std::nullopt;
  return field->get<std::string>();
}

}  // namespace

void ProfileView::load(sql::Transaction& transaction) {
  profile_by_account_.clear();
  // A commit may have been taken for failed.
  if (changed_) changed_({});
  if (!department_seen_) return;
  transaction.execute(
      "DECLARE profile_rows NO SCROLL CURSOR FOR"
      " SELECT account_id, CASE WHEN closed THEN '' ELSE coalesce(department, '') END"
      " FROM person_profile");
  while (true) {
    const auto rows = transaction.execute("FETCH FORWARD 50000 FROM profile_rows");
    for (const auto& row : rows) department_seen_(row.account(0), row.text(1));
    if (rows.empty()) break;
  }
  transaction.execute("CLOSE profile_rows");
}

void ProfileView::flushed() {
  if (changed_ && !profile_by_account_.empty()) {
    std::vector<core::AccountId> accounts;
    for (const auto& [account, profile] : profile_by_account_) accounts.push_back(account);
    changed_(accounts);
  }
  for (const auto& [account, profile] : profile_by_account_) {
    if (!department_seen_) break;
    const bool has_one = !profile.closed && profile.department;
    department_seen_(account, has_one ? std::string_view(*profile.department) : "");
  }
  profile_by_account_.clear();
}

void ProfileView::apply(const std::string& key, const std::optional<std::string>& value) {
  const auto account = core::AccountId::parse(key);
  if (!account) throw eventsourcing::PoisonEvent("a profile whose key is no account id");
  Profile profile;
  if (value) {
    const json data = json::parse(*value, nullptr, false);
    const auto version = data.is_object() ? data.find("version") : data.end();
    if (version == data.end() || !version->is_number_integer()) {
      throw eventsourcing::PoisonEvent("a profile without a version");
    }
    profile = {version->get<std::int64_t>(), text_or_null(data, "user_id"),
               text_or_null(data, "real_name"), text_or_null(data, "department"),
               data.value("closed", false)};
    const bool tells_avatar = profile.closed || data.contains("avatar");
    profile.avatar = tells_avatar ? text_or_null(data, "avatar") : "";
  } else {
    profile.version = std::numeric_limits<std::int64_t>::max();
    profile.closed = true;
  }
  Profile& held = profile_by_account_[*account];
  if (profile.version <= held.version) return;
  if (profile.avatar == "") profile.avatar = held.version > 0 ? held.avatar : "";
  held = std::move(profile);
}

void ProfileView::flush(sql::Transaction& transaction) {
  sql::write_batch(
      transaction,
      "INSERT INTO person_profile AS known"
      " (account_id, version, user_id, real_name, department, closed, avatar)"
      " SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[],"
      " $6::boolean[], $7::text[])"
      " ON CONFLICT (account_id) DO UPDATE"
      " SET version = excluded.version, user_id = excluded.user_id,"
      " real_name = excluded.real_name, department = excluded.department,"
      " closed = known.closed OR excluded.closed,"
      " avatar = CASE excluded.avatar WHEN '' THEN known.avatar ELSE excluded.avatar END"
      " WHERE excluded.version > known.version",
      profile_by_account_, sql::kKey, &Profile::version, &Profile::user_id, &Profile::real_name,
      &Profile::department, &Profile::closed, &Profile::avatar);
}

}  // namespace tideline::people
