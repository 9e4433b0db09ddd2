// Contracts between services: schemas/contracts/<consumer>/<producer>.json names the events and
// fields of a producer that a consumer relies on, with an example of each.
//
//   producer's test:  auto contracts = contracts_with_producer(TIDELINE_SOURCE_DIR,
//   "social-graph");
//                     EXPECT_THAT(broken_promises(contracts, events_made_by_real_commands),
//                     IsEmpty());
//   consumer's test:  auto contract = read_contract(TIDELINE_SOURCE_DIR, "feed", "social-graph");
//                     EXPECT_THAT(broken_examples(contract), IsEmpty());
//                     for (const auto& event : contract.events) reader(event.recorded()) ...
//
// A file:
//   {"consumer": "feed", "producer": "social-graph", "events": [
//     {"type": "ContactAccepted", "schema_version": 1,
//      "fields": {"from": "account_id", "to": "account_id", "first": "boolean"},
//      "example": {"data": {"from": "...", "to": "...", "first": true}}}]}
// and beside "events", in the same form, "states" for values of a topic of latest states.
// Kinds of fields: string, integer, boolean, account_id, id (made by the server, or a decimal
// number), time, day, sealed, string[], account_id[], id[], and nullable-<kind>.
//
// Findings are sentences that name the consumers. A file that cannot be read ends the test by an
// exception. Reads files; otherwise pure.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::test_support {

struct PromisedEvent {
  std::string type;
  std::uint32_t schema_version = 1;
  std::map<std::string, std::string> kinds;  // field -> kind
  nlohmann::json example;                    // the data of the event

  // The example as a consumer would receive it, in whatever stream.
  eventsourcing::RecordedEvent recorded(std::string source,
                                        std::string stream = "example-1") const {
    eventsourcing::RecordedEvent event;
    event.id = "00000000-0000-7000-8000-000000000000";
    event.source = std::move(source);
    event.type = type;
    event.schema_version = core::SchemaVersion(schema_version);
    event.stream = core::StreamId(std::move(stream));
    event.version = core::StreamVersion(1);
    event.position = core::LogPosition(1);
    event.time = *core::parse_iso8601("2026-01-02T03:04:05.678901Z");
    event.data = example.dump();
    return event;
  }
};

struct Contract {
  std::string consumer;
  std::string producer;
  std::vector<PromisedEvent> events;  // and states
};

inline bool has_kind(const nlohmann::json& value, std::string_view kind) {
  constexpr std::string_view kNullable = "nullable-";
  if (kind.starts_with(kNullable)) {
    return value.is_null() || has_kind(value, kind.substr(kNullable.size()));
  }
  if (kind.ends_with("[]")) {
    const std::string_view item = kind.substr(0, kind.size() - 2);
    return value.is_array() && std::all_of(value.begin(), value.end(),
                                           [&](const auto& each) { return has_kind(each, item); });
  }
  if (kind == "integer") return value.is_number_integer();
  if (kind == "boolean") return value.is_boolean();
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  if (kind == "string") return true;
  if (kind == "account_id") return core::AccountId::parse(text).has_value();
  if (kind == "time") return core::parse_iso8601(text).has_value();
  if (kind == "day") return core::parse_day(text).has_value();
  if (kind == "sealed") return text.starts_with("1.");
  if (kind == "id") {
    const bool decimal = !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
      return std::isdigit(static_cast<unsigned char>(letter)) != 0;
    });
    return decimal || core::is_time_ordered_id(text);
  }
  throw std::runtime_error("a contract names an unknown kind of field: " + std::string(kind));
}

inline Contract read_contract_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  const auto json = nlohmann::json::parse(stream);
  Contract contract{
      json.at("consumer").get<std::string>(), json.at("producer").get<std::string>(), {}};
  if (contract.producer != file.stem() || contract.consumer != file.parent_path().filename()) {
    throw std::runtime_error(file.string() + " names another consumer or producer than its path");
  }
  for (const char* promised : {"events", "states"}) {
    for (const auto& event : json.value(promised, nlohmann::json::array())) {
      contract.events.push_back({event.at("type").get<std::string>(),
                                 event.at("schema_version").get<std::uint32_t>(),
                                 event.at("fields").get<std::map<std::string, std::string>>(),
                                 event.at("example").at("data")});
    }
  }
  return contract;
}

inline std::filesystem::path contracts_folder(const std::filesystem::path& source) {
  return source / "schemas" / "contracts";
}

inline Contract read_contract(const std::filesystem::path& source, const std::string& consumer,
                              const std::string& producer) {
  return read_contract_file(contracts_folder(source) / consumer / (producer + ".json"));
}

// What all consumers expect of `producer`, by the consumer's name.
inline std::vector<Contract> contracts_with_producer(const std::filesystem::path& source,
                                                     const std::string& producer) {
  std::vector<Contract> contracts;
  for (const auto& consumer : std::filesystem::directory_iterator(contracts_folder(source))) {
    const auto file = consumer.path() / (producer + ".json");
    if (std::filesystem::exists(file)) contracts.push_back(read_contract_file(file));
  }
  std::sort(contracts.begin(), contracts.end(),
            [](const auto& left, const auto& right) { return left.consumer < right.consumer; });
  return contracts;
}

namespace detail {

// What `data` lacks of the promised fields: "field: kind".
inline std::vector<std::string> missing_fields(const PromisedEvent& promised,
                                               const nlohmann::json& data) {
  std::vector<std::string> missing;
  for (const auto& [field, kind] : promised.kinds) {
    if (!data.contains(field) || !has_kind(data.at(field), kind)) {
      missing.push_back("'" + field + "' as " + kind);
    }
  }
  return missing;
}

}  // namespace detail

// What the events do not hold of what consumers rely on. A promised event that is not among them is
// broken too: the producer's test must make every event that it can.
inline std::vector<std::string> broken_promises(
    const std::vector<Contract>& contracts,
    const std::vector<eventsourcing::RecordedEvent>& events) {
  std::map<std::string, std::vector<std::string>> consumers_by_finding;
  for (const Contract& contract : contracts) {
    for (const PromisedEvent& promised : contract.events) {
      bool made = false;
      for (const auto& event : events) {
        if (event.type != promised.type || event.schema_version.value() < promised.schema_version) {
          continue;
        }
        made = true;
        const auto data = nlohmann::json::parse(event.data);
        for (const auto& missing : detail::missing_fields(promised, data)) {
          auto& consumers = consumers_by_finding[promised.type + " has no field " + missing];
          if (consumers.empty() || consumers.back() != contract.consumer) {
            consumers.push_back(contract.consumer);
          }
        }
      }
      if (!made) {
        consumers_by_finding[promised.type + " of schema version " +
                             std::to_string(promised.schema_version) + " is never made"]
            .push_back(contract.consumer);
      }
    }
  }
  std::vector<std::string> findings;
  for (const auto& [finding, consumers] : consumers_by_finding) {
    std::string names;
    for (const auto& consumer : consumers) names += (names.empty() ? "" : ", ") + consumer;
    findings.push_back(finding + ", which is relied on by: " + names);
  }
  return findings;
}

// Examples that do not hold what their own contract says.
inline std::vector<std::string> broken_examples(const Contract& contract) {
  std::vector<std::string> findings;
  for (const PromisedEvent& promised : contract.events) {
    for (const auto& missing : detail::missing_fields(promised, promised.example)) {
      findings.push_back(contract.consumer + "/" + contract.producer + ".json: the example of " +
                         promised.type + " has no field " + missing);
    }
  }
  return findings;
}

}  // namespace tideline::test_support
