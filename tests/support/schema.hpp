// Events against the JSON Schemas (draft-07) that the build makes of schemas/events, in
// TIDELINE_EVENT_SCHEMAS/<service>/<Type>.v<schema version>.json. Findings are sentences. Reads
// files; a schema that cannot be read ends the test by an exception. Slow to compile: include it in
// one file of a test.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "eventsourcing/events/event.hpp"

namespace tideline::test_support {

inline std::vector<std::string> schema_violations(const nlohmann::json& schema_json,
                                                  const nlohmann::json& value) {
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const valijson::adapters::NlohmannJsonAdapter target(value);
  std::vector<std::string> violations;
  if (validator.validate(schema, target, &results)) return violations;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) violations.push_back(error.description);
  return violations;
}

// What is wrong between the events and the schemas of `service`: data that breaks its schema, a
// type or version without schema, and an event of which the newest version was not made (the caller
// makes every event that there is).
inline std::vector<std::string> broken_schemas(
    const std::filesystem::path& schemas, const std::string& service,
    const std::vector<eventsourcing::RecordedEvent>& events) {
  const auto folder = schemas / service;
  std::set<std::string> known;
  std::map<std::string, std::string> newest;  // by type
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    known.insert(name);
    std::string& last = newest[name.substr(0, name.find('.'))];
    last = std::max(last, name);
  }
  std::set<std::string> unused;
  for (const auto& [type, name] : newest) unused.insert(name);
  std::vector<std::string> findings;
  for (const auto& event : events) {
    const std::string name =
        event.type + ".v" + std::to_string(event.schema_version.value()) + ".json";
    if (!known.contains(name)) {
      findings.push_back(service + " makes " + event.type + ", which has no schema " + name);
      continue;
    }
    std::ifstream stream(folder / name);
    const auto schema = nlohmann::json::parse(stream);
    if (schema.at("title") != event.type) findings.push_back(name + " has another title");
    for (const auto& violation : schema_violations(schema, nlohmann::json::parse(event.data))) {
      findings.push_back(event.type + " breaks its schema: " + violation + " " + event.data);
    }
    unused.erase(name);
  }
  for (const auto& name : unused) findings.push_back(name + " describes an event never made");
  return findings;
}

}  // namespace tideline::test_support
