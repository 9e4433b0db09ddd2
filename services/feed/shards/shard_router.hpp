// Timelines of a service with several instances: each is at the instance that has its viewer's
// shard, and is answered there.
//
// An instance that is asked for another one's timeline passes the request on: anyone who gets it
// passed on and has not got the shard either answers 503. While a shard is moving the request waits
// where it came to, a few looks at the rows (shards/shard_leases.hpp). Every answer says whose
// shard it was, so that the gateway asks that one next time. A live timeline is not passed on: it
// is 503, and the client, who tries again, is led right.
//
// That the shard is here is asked again when the answer is there: who was stopped in between, and
// has lost it meanwhile, does not answer. An answer that was passed on goes out for as long as it
// is good at who made it, counted from when that was asked.
//
// Thread-safe. Blocks for nothing but what answers here.
#pragma once

#include <functional>
#include <string_view>

#include "core/result.hpp"
#include "feed/domain/shards.hpp"
#include "http/client/client.hpp"
#include "http/messages/message.hpp"

namespace tideline::feed {

// Says that a request was passed on. The gateway lets no X-Tideline- header in from outside.
inline constexpr std::string_view kPassedOnHeader = "X-Tideline-Passed-On";
// In an answer to what was passed on: for how many milliseconds it is good.
inline constexpr std::string_view kGoodForHeader = "X-Tideline-Good-For";
// The name of the instance that has the viewer's shard, and of the one that answers.
inline constexpr std::string_view kInstanceHeader = "X-Tideline-Instance";
inline constexpr std::string_view kServerHeader = "X-Tideline-Server";

class ShardRouter {
 public:
  // How often a request waits for a look at the rows.
  static constexpr int kLooksMax = 6;

  struct Ports {
    std::function<ShardPlace(std::size_t shard)> find;                          // ShardLeases::find
    std::function<void(std::function<void()>)> after_next_look;                 // of ShardLeases
    std::function<void(const http::OutgoingRequest&, http::Client::Then)> ask;  // Client::get

    // This one's name.
    std::string instance;
  };

  explicit ShardRouter(Ports ports) : ports_(std::move(ports)) {}

  bool is_here(const core::AccountId& viewer) const;

  // Answers the caller's timeline: by `here`, or as another instance does.
  http::Response answer(const http::Request& request,
                        const std::function<http::Response()>& here) const;
  // The same for what cannot be passed on.
  http::Response answer_here_alone(const http::Request& request,
                                   const std::function<http::Response()>& here) const;

 private:
  http::Response answer_here(const http::Request& request,
                             const std::function<http::Response()>& here) const;
  http::Response pass_on(const http::Request& request, const ShardPlace& place) const;
  // With the names by which the gateway finds the shard.
  http::Response marked(http::Response response, const std::string& owner) const;
  // The handler is called again after the next look, or the answer is 503.
  http::Response wait_for_place(const http::Request& request) const;

  const Ports ports_;
};

}  // namespace tideline::feed
