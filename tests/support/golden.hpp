// Events as they were stored once: schemas/golden/<service>.jsonl, every version of every event.
// Reads files; a file that cannot be read ends the test by an exception.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/event_codec.hpp"

namespace tideline::test_support {

inline std::vector<eventsourcing::RecordedEvent> golden_events(const std::filesystem::path& source,
                                                               const std::string& service) {
  std::ifstream file(source / "schemas" / "golden" / (service + ".jsonl"));
  if (!file) throw std::runtime_error("no golden events of " + service);
  std::vector<eventsourcing::RecordedEvent> events;
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text);
    if (!line.contains("type")) continue;
    eventsourcing::RecordedEvent event;
    event.source = service;
    event.type = line.at("type");
    event.schema_version = core::SchemaVersion(line.at("version").get<std::uint32_t>());
    event.data = line.at("data");
    events.push_back(std::move(event));
  }
  return events;
}

// The objects of that name, as they lie sealed in events of the service; the newest one last.
inline std::vector<std::string> golden_objects(const std::filesystem::path& source,
                                               const std::string& service,
                                               const std::string& object) {
  std::ifstream file(source / "schemas" / "golden" / (service + ".jsonl"));
  std::vector<std::string> objects;
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text);
    if (line.value("object", "") == object) objects.push_back(line.at("data"));
  }
  if (objects.empty()) throw std::runtime_error("no golden " + object + " of " + service);
  return objects;
}

// The golden events that not exactly one of the codecs reads, as "Type of version 1". Whatever
// is sealed in them stays so.
template <class... Decoded>
std::vector<std::string> unread_golden_events(const std::filesystem::path& source,
                                              const std::string& service) {
  std::vector<std::string> unread;
  for (const auto& event : golden_events(source, service)) {
    const int readers = (0 + ... + (eventsourcing::EventCodec<Decoded>().decode(event) ? 1 : 0));
    if (readers == 1) continue;
    unread.push_back(event.type + " of version " + std::to_string(event.schema_version.value()));
  }
  return unread;
}

}  // namespace tideline::test_support
