// social-graph without server, Kafka and, but for what `database` is, PostgreSQL: its routes over
// the store in memory. Tokens are the caller's user_id. One thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "crypto/account_ids.hpp"
#include "crypto/subject_cipher.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "http/routing/command_endpoint.hpp"
#include "http/routing/router.hpp"
#include "social-graph/api/routes.hpp"

namespace tideline::social_graph {

struct Reply {
  int status = 0;
  nlohmann::json body;  // null for none
  http::Headers headers;

  // The stable word of a problem, "" for an answer that is none.
  std::string problem() const {
    constexpr std::string_view kPrefix = "urn:tideline:problem:";
    if (!body.is_object() || !body.contains("type")) return "";
    return body.at("type").get<std::string>().substr(kPrefix.size());
  }
  std::string header(std::string_view name) const {
    return std::string(headers.find(name).value_or(""));
  }
};

class GraphService {
 public:
  explicit GraphService(sql::Database& database, std::int64_t contact_limit = 3,
                        std::int64_t group_member_limit = 3,
                        std::int64_t public_group_member_limit = 3)
      : router(std::make_shared<UserIdVerifier>(account_ids), clock) {
    add_routes(router, {.commands = commands,
                        .database = database,
                        .clock = clock,
                        .random = random,
                        .account_ids = account_ids,
                        .cipher = cipher,
                        .people = people,
                        .people_applied = people_applied,
                        .graph_applied = graph_applied,
                        .contact_limit = contact_limit,
                        .group_limits = {group_member_limit, public_group_member_limit,
                                         std::chrono::days(30)},
                        .declined_for = std::chrono::days(30)});
  }

  // `target` may carry a query; a `body` of null sends none.
  Reply call(http::Method method, std::string_view target, std::string_view caller,
             const nlohmann::json& body = nullptr,
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    http::Request request;
    request.method = method;
    split(target, request);
    if (!caller.empty()) request.headers.add("Authorization", "Bearer " + std::string(caller));
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    if (!position.empty()) request.headers.add("Tideline-Position", position);
    if (!body.is_null()) {
      request.headers.add("Content-Type", "application/json");
      request.body = body.dump();
    }
    request.request_id = "request-" + std::to_string(++requests_);
    request.correlation_id = request.request_id;
    const http::Response response = router.dispatch(request);
    return {response.status,
            response.body.empty() ? nlohmann::json() : nlohmann::json::parse(response.body),
            response.headers};
  }
  Reply get(std::string_view target, std::string_view caller,
            const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return call(http::Method::Get, target, caller, nullptr, headers);
  }
  Reply post(std::string_view target, std::string_view caller,
             const nlohmann::json& body = nullptr) {
    return call(http::Method::Post, target, caller, body);
  }
  Reply put(std::string_view target, std::string_view caller,
            const nlohmann::json& body = nullptr) {
    return call(http::Method::Put, target, caller, body);
  }
  Reply remove(std::string_view target, std::string_view caller) {
    return call(http::Method::Delete, target, caller);
  }

  void befriend(std::string_view one, std::string_view other) {
    EXPECT_EQ(post("/v1/contact-requests", one, {{"user_id", other}}).status, 201);
    EXPECT_EQ(post("/v1/contact-requests/" + std::string(one) + "/accept", other).status, 200);
  }
  std::string create_tag(std::string_view owner, std::string_view name) {
    return post("/v1/tags", owner, {{"name", name}}).body.at("id");
  }
  std::string create_group(std::string_view creator, std::string_view name, bool is_private) {
    const nlohmann::json body{{"name", name}, {"private", is_private}};
    return post("/v1/groups", creator, body).body.at("id");
  }

  // Everything that has happened, log by log.
  std::vector<eventsourcing::RecordedEvent> events() {
    std::vector<eventsourcing::RecordedEvent> all;
    for (std::uint32_t log = 0; log < store.logs(); ++log) {
      auto batch = store.read_log(core::LogIndex(log), core::LogPosition(0), 1'000'000);
      all.insert(all.end(), batch->begin(), batch->end());
    }
    return all;
  }

  core::AccountId account(std::string_view user_id) const { return account_ids.of(user_id); }

  core::ManualClock clock{*core::parse_iso8601("2026-01-02T03:04:05.678901Z")};
  core::SeededRandom random{7};
  eventsourcing::InMemoryEventStore store{"social-graph", 4, clock, random};
  crypto::InMemorySubjectKeys subject_keys;
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{}};
  crypto::SubjectCipher cipher{subject_keys, clock, {.indexed_by = account_ids}};
  people::PeopleDirectory people;
  eventsourcing::AppliedPositions people_applied;
  eventsourcing::AppliedPositions graph_applied;
  http::CommandEndpoint commands{store, clock};
  http::Router router;
  std::string position;  // the token that every caller sends; "" for none

 private:
  class UserIdVerifier final : public http::TokenVerifier {
   public:
    explicit UserIdVerifier(const crypto::AccountIds& ids) : ids_(ids) {}
    core::Result<http::VerifiedToken> verify(std::string_view bearer,
                                             core::Timestamp now) override {
      return http::VerifiedToken{{ids_.of(bearer), {"user"}}, now + std::chrono::minutes(15)};
    }

   private:
    const crypto::AccountIds& ids_;
  };

  static void split(std::string_view target, http::Request& request) {
    const auto question = target.find('?');
    request.path = std::string(target.substr(0, question));
    if (question == std::string_view::npos) return;
    std::string_view query = target.substr(question + 1);
    while (!query.empty()) {
      const std::string_view pair = query.substr(0, query.find('&'));
      const auto equals = pair.find('=');
      request.query_parameters.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
      query.remove_prefix(std::min(query.size(), pair.size() + 1));
    }
  }

  int requests_ = 0;
};

}  // namespace tideline::social_graph
