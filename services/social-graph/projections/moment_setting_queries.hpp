// What table moment_setting answers. Blocks on the database; throws TransactionFailed.
#pragma once

#include <cstdint>
#include <optional>

#include "sql/keyset.hpp"

namespace tideline::social_graph {

// Hidden: whose moments the owner does not see. HiddenFrom: who must not see the owner's.
enum class SettingList { Hidden, HiddenFrom };

struct SettingCounts {
  std::int64_t hidden = 0;
  std::int64_t hidden_from = 0;
};
struct HeldSetting {
  bool hides_other = false;
  bool hidden_from_other = false;
  core::StreamVersion version;
};

SettingCounts count_settings(sql::Transaction& transaction, const core::AccountId& owner);
// Latest change first.
sql::Slice<sql::PersonSince> list_settings(sql::Transaction& transaction,
                                           const core::AccountId& owner, SettingList list,
                                           const sql::Window<core::AccountId>& window);
// nullopt: never set.
std::optional<HeldSetting> find_setting(sql::Transaction& transaction, const core::AccountId& owner,
                                        const core::AccountId& other);

// The other index: who has excluded `account` in this way. For operators and checks alone; no route
// shows it, for the excluded person must not learn of it.
sql::Slice<sql::PersonSince> list_excluding(sql::Transaction& transaction,
                                            const core::AccountId& account, SettingList list,
                                            const sql::Window<core::AccountId>& window);

}  // namespace tideline::social_graph
