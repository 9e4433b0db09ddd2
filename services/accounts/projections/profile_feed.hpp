// Publishes what everybody may know of a person to the compacted topic of public profiles, newest
// version wins: {"account_id", "version", "user_id", "real_name", "department", "avatar",
// "closed"}. avatar is a content hash. The last value of a closed account has closed = true and no
// names, and stays.
//
// It has no tables of its own: flush() publishes, and only when all is acknowledged does the
// checkpoint move on. So a state can be published again, never lost. flush() also erases the key of
// a closed account, which the closing request does as well but may not live to do.
//
// Called by one runner thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "eventsourcing/projections/state_topic.hpp"

namespace tideline::accounts {

struct PublicProfile {
  std::string user_id;
  std::string real_name;
  std::string department;
  std::optional<std::string> avatar{};
};

struct SealedProfile {
  core::AccountId account;
  std::string sealed;
};

// The port to the keys of profiles. May block on a database.
class ProfileKeys {
 public:
  virtual ~ProfileKeys() = default;

  // The answer at [i] belongs to profiles[i]; nullopt: erased.
  virtual core::Result<std::vector<std::optional<PublicProfile>>> open_public(
      std::span<const SealedProfile> profiles) = 0;
  // Idempotent.
  virtual core::Status erase(const core::AccountId& account) = 0;
};

class ProfileFeed final : public eventsourcing::Projection {
 public:
  // Both must outlive it.
  ProfileFeed(ProfileKeys& keys, eventsourcing::StatePublisher& publisher)
      : keys_(keys), publisher_(publisher) {}

  std::string_view name() const override { return "profile-feed"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  // Throws TransactionFailed when a port fails.
  void flush(sql::Transaction& transaction) override;
  void flushed() override { latest_.clear(); }

 private:
  struct Latest {
    std::optional<std::string> sealed;  // nullopt: closed
    core::StreamVersion version;
  };

  void remember(const core::AccountId& account, std::optional<std::string> sealed,
                core::StreamVersion version);
  void erase_closed();
  std::vector<std::optional<PublicProfile>> open_all();

  ProfileKeys& keys_;
  eventsourcing::StatePublisher& publisher_;
  std::map<core::AccountId, Latest> latest_;
};

}  // namespace tideline::accounts
