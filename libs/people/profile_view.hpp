// Fills the directory's names from the compacted topic of public profiles. The newest version of a
// profile wins in whatever order they come; a tombstone erases the names for ever (its version is
// above all others). Used by one runner thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "eventsourcing/state_topic.hpp"

namespace tideline::people {

class ProfileView final : public eventsourcing::StateView {
 public:
  std::string_view name() const override { return "profiles"; }
  void load(eventsourcing::Transaction& transaction) override;
  void apply(const std::string& key, const std::optional<std::string>& value) override;
  void flush(eventsourcing::Transaction& transaction) override;
  void flushed() override { profile_by_account_.clear(); }

 private:
  struct Profile {
    std::int64_t version = 0;
    std::optional<std::string> user_id;
    std::optional<std::string> real_name;
    std::optional<std::string> department;
    bool closed = false;
  };

  std::map<core::AccountId, Profile> profile_by_account_;  // changed since the last flush
};

}  // namespace tideline::people
