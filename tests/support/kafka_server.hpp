// A real Kafka broker for tests, in a temporary folder on free ports of 127.0.0.1, started by
// deploy/parts/kafka with a small heap. It is stopped and its folder removed when the object goes,
// and also when the test process dies in any other way: a watchdog holds the end of a pipe to it.
//
// Failures to start abort the test binary with a message. Not thread-safe; starting blocks for five
// to ten seconds.
#pragma once

#include <string>
#include <string_view>

#include "support/part.hpp"

namespace tideline::test_support {

class KafkaServer {
 public:
  KafkaServer();

  // One broker for the whole test binary, started at the first call.
  static KafkaServer& shared();

  // For "bootstrap.servers".
  std::string brokers() const { return "127.0.0.1:" + std::to_string(port_); }

  // A service name that no test of this binary has used yet ("test-a", "test-b", ...), and so
  // topics of its own.
  std::string unused_service();

  // As a crash would: SIGKILL; start() brings it back with its data on the same port.
  void kill();
  void start();

  // Keeps a copy of all data, stopping the broker for it; later the copy takes the place of what is
  // there then, as when somebody restores an old backup. put_back() kills, and leaves start() to
  // the caller.
  void save();
  void put_back();

 private:
  Part part_;
  int port_ = 0;
  int controller_port_ = 0;
  int services_ = 0;
};

}  // namespace tideline::test_support
