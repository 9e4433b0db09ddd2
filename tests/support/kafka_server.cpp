#include "support/kafka_server.hpp"

namespace tideline::test_support {

KafkaServer::KafkaServer() : part_("kafka", "/tmp") {
  const auto ports = free_ports(2);
  port_ = ports[0];
  controller_port_ = ports[1];
  start();
}

KafkaServer& KafkaServer::shared() {
  static KafkaServer server;
  return server;
}

std::string KafkaServer::unused_service() {
  std::string name = "test-";
  for (int number = services_++; number >= 0; number = number / 26 - 1) {
    name.push_back(static_cast<char>('a' + number % 26));
  }
  return name;
}

void KafkaServer::start() {
  part_.run("start --heap 320m --port " + std::to_string(port_) + " --controller-port " +
            std::to_string(controller_port_));
}

void KafkaServer::kill() { part_.run("kill"); }

void KafkaServer::save() {
  part_.run("stop");
  part_.save("data");
  start();
}

void KafkaServer::put_back() {
  kill();
  part_.put_back("data");
}

}  // namespace tideline::test_support
