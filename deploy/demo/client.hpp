// An HTTP client as a careful user of the API would write one: keep-alive, one idempotency key per
// command, and patience: on 429 and 503 it waits as long as Retry-After says and sends the same
// command with the same key again; a broken connection is mended the same way.
//
// One thread each.
#pragma once

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace tideline::demo {

using Json = nlohmann::json;

struct Endpoint {
  std::string host;
  std::string port;
  bool tls = false;
  // PEM: who vouches for the host; "" = whom this machine trusts.
  std::string authority_file;
  // Who is asked in the host's place, "" = the host. A certificate is still the host's.
  std::string at;
};
// "http://127.0.0.1:18080", "https://tideline.example"; throws std::invalid_argument for anything
// else.
Endpoint parse_endpoint(const std::string& url);

struct Reply {
  int status = 0;
  std::string body;
  std::string location;
  std::string position;  // the position token that came with it
  std::chrono::milliseconds retry_after{0};
  bool stale = false;

  Json json() const { return body.empty() ? Json() : Json::parse(body); }
};

// The suite did not do what its contract says.
class UnexpectedAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The connection broke, or nothing came for 15 s: whether the suite has done it is not known.
class Unanswered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Counted over all clients.
struct Traffic {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> retries{0};
};

struct Call {
  std::string method;
  std::string target;
  std::string token;     // access token, "" = none
  Json body;             // null = none
  std::string position;  // position token to send along
  std::string key = {};  // Idempotency-Key, "" = the client draws one
  std::string correlation_id = {};
  std::string bytes = {};  // a body that is no JSON, "" = none
  std::string range = {};  // Range, "" = the whole
};

class Client {
 public:
  Client(Endpoint endpoint, Traffic& traffic, std::uint64_t seed);
  ~Client();

  // Whatever the final answer is. Throws UnexpectedAnswer when the suite is not to be reached for a
  // minute.
  Reply send(const Call& call);
  // The same, but anything other than `status` is an UnexpectedAnswer that shows the answer.
  Reply expect(int status, const Call& call);
  // One attempt, without patience: throws Unanswered.
  Reply once(const Call& call);

 private:
  struct Connection;

  Reply exchange(const Call& call);
  std::string new_key();

  Endpoint endpoint_;
  Traffic& traffic_;
  std::uint64_t key_state_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tideline::demo
