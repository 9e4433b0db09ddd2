// Events against their JSON Schemas, schemas/events/<service>/<Type>.v<schema version>.json
// (draft-07). Findings are sentences. Reads files; a schema that cannot be read ends the test by an
// exception. Slow to compile: include it in one file of a test.
#pragma once

#include <filesystem>
#include <fstream>
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

#include "eventsourcing/event.hpp"

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
// type without schema, a schema without event (the caller makes every event that there is), and a
// schema whose own examples break it.
inline std::vector<std::string> broken_schemas(
    const std::filesystem::path& source, const std::string& service,
    const std::vector<eventsourcing::RecordedEvent>& events) {
  const auto folder = source / "schemas" / "events" / service;
  std::set<std::string> unused;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    unused.insert(file.path().filename());
  }
  std::vector<std::string> findings;
  std::set<std::string> known = unused;
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
    if (unused.erase(name) == 0) continue;
    for (const auto& example : schema.at("examples")) {
      for (const auto& violation : schema_violations(schema, example)) {
        findings.push_back("an example in " + name + " breaks it: " + violation);
      }
    }
  }
  for (const auto& name : unused) findings.push_back(name + " describes an event never made");
  return findings;
}

}  // namespace tideline::test_support
