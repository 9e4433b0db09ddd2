// How far a reader has seen: per service and log, the last position. A response carries the vector
// of what its command wrote, joined with what the client had seen before; a query that sends it
// back is answered from a read model that has applied all of it ("read your own writes").
//
// Text form ("position token"): opaque to clients, base64url. Value type, not synchronized.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/ids.hpp"

namespace tideline::eventsourcing {

class PositionVector {
 public:
  using Logs = std::map<core::LogIndex, core::LogPosition>;

  // Raises the position of one log; a lower one changes nothing.
  void raise(std::string_view service, core::LogIndex log, core::LogPosition position);
  // The least upper bound of both.
  void join(const PositionVector& other);

  core::LogPosition at(std::string_view service, core::LogIndex log) const;
  // True if every position of `wanted` is reached here, looking only at services that are named
  // here: what a reader does not consume it cannot wait for.
  bool covers(const PositionVector& wanted) const;

  bool empty() const { return services_.empty(); }
  const std::map<std::string, Logs, std::less<>>& services() const { return services_; }

  // At most 32 services and 4,096 logs are read back; "" is the empty vector; nullopt for anything
  // that to_token() would not have written.
  std::string to_token() const;
  static std::optional<PositionVector> from_token(std::string_view token);

  friend bool operator==(const PositionVector&, const PositionVector&) = default;

 private:
  std::map<std::string, Logs, std::less<>> services_;
};

}  // namespace tideline::eventsourcing
