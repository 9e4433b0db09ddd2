// Where Kafka is, and how all clients of this process speak to it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace tideline::kafka {

// Names and values of librdkafka's settings.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Brokers {
  Brokers() = default;
  // In clear, as nobody: for a network that nobody else is in. From a text, so that an address is
  // enough where no more is wanted.
  Brokers(std::string host_ports) : addresses(std::move(host_ports)) {}
  Brokers(const char* host_ports) : addresses(host_ports) {}

  // With the settings of `file`: lines NAME=VALUE, blank lines and lines that begin with # are
  // passed over. A name is security.protocol, or one that begins with sasl. or ssl., as librdkafka
  // documents it. Blocks on the file. NotFound: no readable file; InvalidInput: another name, a
  // value that librdkafka refuses, or settings that do not go together, such as a certificate that
  // is not there.
  static core::Result<Brokers> secured(std::string host_ports, const std::filesystem::path& file);

  std::string addresses;  // "host:port,host:port"
  Settings security;
};

}  // namespace tideline::kafka
