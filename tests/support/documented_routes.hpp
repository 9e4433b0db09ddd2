// A service's routes against its OpenAPI document, schemas/http/<service>.yaml, in both directions.
//
//   EXPECT_THAT(route_differences(openapi_document("feed"), router.routes()), IsEmpty());
//
// The build turns the documents into JSON (target tideline_openapi). Findings are sentences. A
// document that cannot be read ends the test by an exception.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "http/routing/router.hpp"

namespace tideline::test_support {

inline nlohmann::json openapi_document(const std::string& service) {
  std::ifstream file(std::filesystem::path(TIDELINE_OPENAPI_DIR) / (service + ".json"));
  return nlohmann::json::parse(file);
}

// The names between the braces of "/v1/groups/{group_id}/members/{user_id}".
inline std::set<std::string> names_in_path(const std::string& path) {
  std::set<std::string> names;
  for (std::size_t open = path.find('{'); open != std::string::npos; open = path.find('{', open)) {
    const std::size_t close = path.find('}', open);
    names.insert(path.substr(open + 1, close - open - 1));
    open = close;
  }
  return names;
}

// The path parameters that the document describes for an operation, also those of its whole path.
inline std::set<std::string> described_names(const nlohmann::json& document,
                                             const nlohmann::json& path_item,
                                             const nlohmann::json& operation) {
  std::set<std::string> names;
  for (const nlohmann::json* owner : {&path_item, &operation}) {
    for (nlohmann::json parameter : owner->value("parameters", nlohmann::json::array())) {
      if (const auto reference = parameter.find("$ref"); reference != parameter.end()) {
        const std::string pointer = reference->get<std::string>().substr(1);
        parameter = document.at(nlohmann::json::json_pointer(pointer));
      }
      if (parameter.at("in") == "path") names.insert(parameter.at("name").get<std::string>());
    }
  }
  return names;
}

// What an operation says of its callers, beside what its route asks of them.
inline std::vector<std::string> access_differences(const std::string& name,
                                                   const nlohmann::json& operation,
                                                   http::Access access) {
  std::vector<std::string> found;
  const auto security = operation.find("security");
  const bool described_public = security != operation.end() && security->empty();
  const bool described_by_link =
      security != operation.end() &&
      std::ranges::any_of(*security, [](const auto& scheme) { return scheme.contains("link"); });
  const bool described_for_operators = operation.value("x-operators-only", false);
  if (described_public != (access == http::Access::Public)) {
    found.push_back(name + (described_public ? " needs a token" : " needs no token, security: []"));
  }
  if (described_by_link != (access == http::Access::SignedInOrLink)) {
    found.push_back(name + (described_by_link ? " takes no link" : " takes links, {link: []}"));
  }
  if (described_for_operators != (access == http::Access::Operator)) {
    found.push_back(
        name + (described_for_operators ? " is for everybody" : " needs x-operators-only: true"));
  }
  const bool described_for_moderators = operation.value("x-moderators-only", false);
  if (described_for_moderators != (access == http::Access::Moderator)) {
    found.push_back(name + (described_for_moderators ? " is no moderators' route"
                                                     : " needs x-moderators-only: true"));
  }
  return found;
}

// Its own limit of a body, "x-body-bytes-max", where the route has one.
inline std::vector<std::string> limit_differences(const std::string& name,
                                                  const nlohmann::json& operation,
                                                  const http::RouteLimits& limits) {
  const auto described = operation.value("x-body-bytes-max", std::size_t{0});
  if (described == limits.body_bytes_max) return {};
  return {name + " takes bodies of " + std::to_string(limits.body_bytes_max) +
          " bytes (0: as any), x-body-bytes-max says " + std::to_string(described)};
}

inline std::vector<std::string> route_differences(const nlohmann::json& document,
                                                  const std::vector<http::Router::Route>& routes) {
  static const std::set<std::string> kMethods{"get", "post", "put", "patch", "delete"};
  std::map<std::string, http::Router::Route> registered;
  for (const auto& route : routes) {
    registered.emplace(std::string(http::name_of(route.method)) + " " + route.path_template, route);
  }
  std::vector<std::string> found;
  for (const auto& [path, item] : document.at("paths").items()) {
    for (const auto& [key, operation] : item.items()) {
      if (!kMethods.contains(key)) continue;
      std::string name = key + " " + path;
      std::transform(key.begin(), key.end(), name.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
      const auto route = registered.find(name);
      if (route == registered.end()) {
        found.push_back(name + " is described, and no route");
        continue;
      }
      if (described_names(document, item, operation) != names_in_path(path)) {
        found.push_back(name + " describes other path parameters than it has");
      }
      const auto& [method, path_template, access, limits] = route->second;
      for (const auto& differences : {access_differences(name, operation, access),
                                      limit_differences(name, operation, limits)}) {
        found.insert(found.end(), differences.begin(), differences.end());
      }
      registered.erase(route);
    }
  }
  for (const auto& [name, route] : registered) found.push_back(name + " is not described");
  return found;
}

}  // namespace tideline::test_support
