// Sends messages to push services (RFC 8030), many at a time.
//
// Endpoints are what strangers have written. So the address that is connected to is looked at after
// names are resolved, and nothing is sent where is_public_address() says no; nobody is followed to
// another place; a request has a time, an answer a size. How many wait for one slow service is
// bounded by the batch.
//
// One thread. Blocks for as long as the slowest of a batch, kTimeout at most.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "push/push_target.hpp"

namespace tideline::push {

struct PushRequest {
  std::string endpoint;
  std::string authorization;
  std::string body;  // encrypted
};

enum class PushOutcome {
  Taken,
  Gone,   // 404, 410: the browser is not subscribed any more
  Later,  // no answer, 429, 5xx
  Refused,
};

struct PushAnswer {
  PushOutcome outcome = PushOutcome::Later;
  std::string why;  // without the endpoint; empty: taken
  std::optional<std::chrono::seconds> retry_after{};
};

struct PushSenderOptions {
  Reach reach = Reach::Public;
  // How long a push service keeps a message for a browser that is away.
  std::chrono::seconds time_to_live{std::chrono::hours(24)};
  // A later message with the same name takes the place of one that waits (RFC 8030, 5.4).
  std::string topic;
  // Authorities that certify push services; empty: those of the system.
  std::string ca_file;
};

class PushSender {
 public:
  static constexpr std::chrono::milliseconds kTimeout{5'000};
  static constexpr std::size_t kAnswerBytesMax = 16 * 1024;

  explicit PushSender(PushSenderOptions options);

  // An answer for each.
  std::vector<PushAnswer> send(std::span<const PushRequest> batch) const;

 private:
  const PushSenderOptions options_;
};

}  // namespace tideline::push
