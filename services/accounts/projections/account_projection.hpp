// Fills table account from this service's own events. Called by one runner thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/projection.hpp"

namespace tideline::accounts {

class AccountProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "accounts"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  std::vector<std::string> tables() const override { return {"account"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override { changes_.clear(); }

 private:
  // What events since the last flush say; nullopt = they do not speak of it.
  struct Change {
    std::optional<std::string> profile;
    std::optional<core::Timestamp> registered_at;
    std::optional<bool> is_operator;
    std::optional<bool> is_moderator;
    bool closed = false;
    core::StreamVersion version;
  };

  std::map<core::AccountId, Change> changes_;
};

}  // namespace tideline::accounts
