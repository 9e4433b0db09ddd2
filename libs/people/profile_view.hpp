// Fills the directory's names from the compacted topic of public profiles. The newest version of a
// profile wins in whatever order they come; a tombstone erases the names for ever (its version is
// above all others). Used by one runner thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "eventsourcing/projections/state_topic.hpp"

namespace tideline::people {

class ProfileView final : public eventsourcing::StateView {
 public:
  // Of which department an account is; "": of none, or the account is closed.
  using DepartmentSeen = std::function<void(const core::AccountId&, std::string_view department)>;

  // `seen` is told every department that the table holds at the start, and from then on what comes
  // and is committed; repeats happen, the last word is the newest. On the runner's thread. Set
  // before the view runs.
  void tell_departments(DepartmentSeen seen) { department_seen_ = std::move(seen); }

  // Whose profiles the table has got anew; none: perhaps anybody's.
  using ProfilesChanged = std::function<void(std::span<const core::AccountId>)>;

  // `changed` is told once the change is committed, and at the start. Otherwise as above.
  void tell_changes(ProfilesChanged changed) { changed_ = std::move(changed); }

  std::string_view name() const override { return "profiles"; }
  void load(sql::Transaction& transaction) override;
  void apply(const std::string& key, const std::optional<std::string>& value) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  struct Profile {
    std::int64_t version = 0;
    std::optional<std::string> user_id;
    std::optional<std::string> real_name;
    std::optional<std::string> department;
    bool closed = false;
    // "": of a publisher of before there were any, which takes none away.
    std::optional<std::string> avatar{};
  };

  DepartmentSeen department_seen_;
  ProfilesChanged changed_;
  std::map<core::AccountId, Profile> profile_by_account_;  // changed since the last flush
};

}  // namespace tideline::people
