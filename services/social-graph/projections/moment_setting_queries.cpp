#include "social-graph/projections/moment_setting_queries.hpp"

namespace tideline::social_graph {
using sql::PersonSince;
using sql::Slice;
using sql::Window;

SettingCounts count_settings(sql::Transaction& transaction, const core::AccountId& owner) {
  const auto rows = transaction.execute(
      "SELECT count(*) FILTER (WHERE hides_other), count(*) FILTER (WHERE hidden_from_other)"
      " FROM moment_setting WHERE owner = $1::uuid",
      {owner});
  return {rows.at(0).integer(0), rows.at(0).integer(1)};
}

Slice<PersonSince> list_settings(sql::Transaction& transaction, const core::AccountId& owner,
                                 SettingList list, const Window<core::AccountId>& window) {
  const std::string_view select =
      list == SettingList::Hidden
          ? "SELECT other, (extract(epoch FROM since) * 1000000)::bigint FROM moment_setting"
            " WHERE owner = $1::uuid AND hides_other"
          : "SELECT other, (extract(epoch FROM since) * 1000000)::bigint FROM moment_setting"
            " WHERE owner = $1::uuid AND hidden_from_other";
  return select_newest_first<PersonSince>(transaction, {select, "since", "other"}, {owner}, window,
                                          PersonSince::of);
}

std::optional<HeldSetting> find_setting(sql::Transaction& transaction, const core::AccountId& owner,
                                        const core::AccountId& other) {
  const auto rows = transaction.execute(
      "SELECT hides_other, hidden_from_other, version FROM moment_setting"
      " WHERE owner = $1::uuid AND other = $2::uuid",
      {owner, other});
  if (rows.empty()) return std::nullopt;
  return HeldSetting{rows[0].boolean(0), rows[0].boolean(1),
                     core::StreamVersion(static_cast<std::uint64_t>(rows[0].integer(2)))};
}

Slice<PersonSince> list_excluding(sql::Transaction& transaction, const core::AccountId& account,
                                  SettingList list, const Window<core::AccountId>& window) {
  const std::string_view select =
      list == SettingList::Hidden
          ? "SELECT owner, (extract(epoch FROM since) * 1000000)::bigint FROM moment_setting"
            " WHERE other = $1::uuid AND hides_other"
          : "SELECT owner, (extract(epoch FROM since) * 1000000)::bigint FROM moment_setting"
            " WHERE other = $1::uuid AND hidden_from_other";
  return select_newest_first<PersonSince>(transaction, {select, "since", "owner"}, {account},
                                          window, PersonSince::of);
}

}  // namespace tideline::social_graph
