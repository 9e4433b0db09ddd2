// The service without servers: its routes over a store, keys and clock in memory, with real
// password hashes (of the smallest size) and real tokens. Tables are there when a database is
// handed in.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "accounts/api/routes.hpp"
#include "accounts/projections/person_search.hpp"
#include "accounts/stored_events.hpp"
#include "crypto/tests/key_pair.hpp"
#include "crypto/tests/temporary_folder.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"
#include "http/routing/authentication.hpp"
#include "http/routing/router.hpp"
#include "uploads/image_store_in_memory.hpp"

namespace tideline::accounts::testing {

using nlohmann::json;

// When every test begins.
inline const core::Timestamp kNoon = *core::parse_iso8601("2026-05-01T12:00:00.250000Z");

// Tables without a row.
class NoRows final : public sql::Database, private sql::Transaction {
 public:
  core::Status transact(const std::function<void(sql::Transaction&)>& work) override {
    work(*this);
    return core::success();
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>& work) override {
    return transact(work);
  }

 private:
  sql::Rows execute(std::string_view, const sql::Params&) override { return {}; }
  void copy_in(std::string_view, std::span<const std::string>,
               std::span<const sql::Params>) override {}
};

// Keeps everything that is put.
class KeptUploads final : public uploads::ContentStore {
 public:
  core::Result<bool> put(const core::AccountId& owner, const uploads::Content& content) override {
    contents_[{owner, uploads::hash_of(content.bytes)}] = content;
    return true;
  }
  core::Result<bool> hold(const core::AccountId& owner,
                          std::span<const std::string> hashes) override {
    return std::ranges::all_of(hashes, [&](const std::string& hash) {
      return contents_.contains({owner, hash});
    });
  }
  core::Result<std::optional<uploads::Content>> find(const core::AccountId& owner,
                                                     const std::string& hash) override {
    const auto found = contents_.find({owner, hash});
    if (found == contents_.end()) return std::optional<uploads::Content>();
    return std::optional(found->second);
  }

 private:
  std::map<std::pair<core::AccountId, std::string>, uploads::Content> contents_;
};

// Passes everything on and keeps what is stored with idempotency keys.
class RememberingStore final : public eventsourcing::ForwardingEventStore {
 public:
  using ForwardingEventStore::ForwardingEventStore;

  core::Result<eventsourcing::AppendOutcome> do_append(eventsourcing::Append append) override {
    {
      const std::lock_guard lock(mutex_);
      stored_.push_back(append.result.body + append.result.location);
    }
    return ForwardingEventStore::do_append(std::move(append));
  }

  std::vector<std::string> stored() {
    const std::lock_guard lock(mutex_);
    return stored_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> stored_;
};

// Keeps what it is to send.
class KeptMails final : public mail::Mailer {
 public:
  core::Status send(const mail::Mail& sent) override {
    const std::lock_guard lock(mutex_);
    mails_.push_back(sent);
    return core::success();
  }
  std::vector<mail::Mail> all() {
    const std::lock_guard lock(mutex_);
    return mails_;
  }

 private:
  std::mutex mutex_;
  std::vector<mail::Mail> mails_;
};

class JwtAtTheEdge final : public http::TokenVerifier {
 public:
  explicit JwtAtTheEdge(const crypto::TokenVerifier& verifier) : verifier_(verifier) {}
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    auto verified = verifier_.verify(bearer, now);
    if (!verified) return verified.error();
    const crypto::TokenSubject& subject = verified->subject;
    return http::VerifiedToken{
        {subject.account, subject.roles, subject.session_id, subject.password_version},
        verified->expires_at};
  }

 private:
  const crypto::TokenVerifier& verifier_;
};

struct Tokens {
  std::string access;
  std::string refresh;
};

// What comes with a request; "" = none.
struct Extra {
  std::string token = {};  // access token
  std::string idempotency_key = {};
  std::string if_match = {};
  std::string position = {};
  std::string source = "192.0.2.7";
};

struct AppOptions {
  AttemptLimits limits = {};
  crypto::PasswordHashOptions hashing = {
      .memory_bytes = 8192, .passes = 1, .concurrent_max = 4, .wait_max = std::chrono::seconds(10)};
  SignUpPolicy sign_up = {};
  bool sends_mail = true;
  bool operators_need_second_factor = false;
};

class AccountsApp {
 public:
  static constexpr std::uint32_t kLogs = 4;
  static constexpr const char* kPassword = "correct horse battery";

  AccountsApp() : AccountsApp(nowhere(), AppOptions{}) {}
  explicit AccountsApp(AppOptions options) : AccountsApp(nowhere(), std::move(options)) {}
  explicit AccountsApp(sql::Database& database) : AccountsApp(database, AppOptions{}) {}
  AccountsApp(sql::Database& database, AppOptions options)
      : hasher(options.hashing),
        attempts(options.limits),
        emails({codes, options.sends_mail ? &mails : nullptr, "https://campus.example/#"}, clock) {
    const auto pair = crypto::new_key_pair();
    const auto private_key = folder.write("k1.pem", pair.private_pem);
    std::filesystem::create_directory(folder.path() / "public");
    folder.write("public/k1.pem", pair.public_pem);
    signer = std::make_unique<crypto::TokenSigner>(
        std::move(crypto::TokenSigner::load(private_key)).value());
    verifier = std::make_unique<crypto::TokenVerifier>(
        std::move(crypto::TokenVerifier::load(folder.path() / "public")).value());
    router = std::make_unique<http::Router>(std::make_shared<JwtAtTheEdge>(*verifier), clock);
    accounts_applied.reset({"accounts"}, {});
    visits_applied.reset({"accounts"}, {});
    search_applied.reset({"accounts"}, {});
    scores_applied.reset({"accounts", "projects", "social-graph", "scoring"}, {});
    projects_applied.reset({"projects"}, {});
    blocks_applied.reset({"social-graph"}, {});
    add_routes(*router, {.commands = endpoint,
                         .store = remembering,
                         .database = database,
                         .clock = clock,
                         .random = random,
                         .campus = campus,
                         .account_ids = account_ids,
                         .profiles = profiles,
                         .hasher = hasher,
                         .signer = *signer,
                         .verifier = *verifier,
                         .attempts = attempts,
                         .emails = emails,
                         .views = views,
                         .images = images,
                         .renditions = renditions,
                         .links = links,
                         .accounts_applied = accounts_applied,
                         .visits_applied = visits_applied,
                         .projects_applied = projects_applied,
                         .blocks_applied = blocks_applied,
                         .scores_applied = scores_applied,
                         .search_applied = search_applied,
                         .person_terms = person_terms,
                         .sign_up = options.sign_up,
                         .operators_need_second_factor = options.operators_need_second_factor,
                         .on_attempt = [this](const ToldAttempt& attempt) {
                           const std::lock_guard lock(outcomes_mutex);
                           outcomes.emplace_back(attempt.outcome);
                         }});
  }

  http::Response call(http::Method method, const std::string& path, const json& body = nullptr,
                      const Extra& extra = {}) {
    http::Request request;
    request.method = method;
    const auto mark = path.find('?');
    request.path = path.substr(0, mark);
    if (mark != std::string::npos) {  // one parameter
      const auto value = path.find('=', mark);
      request.query_parameters.emplace_back(path.substr(mark + 1, value - mark - 1),
                                            path.substr(value + 1));
    }
    request.request_id = "request-1";
    request.correlation_id = "correlation-1";
    const auto set = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) request.headers.set(name, value);
    };
    set("Authorization", extra.token.empty() ? "" : "Bearer " + extra.token);
    set("Idempotency-Key", extra.idempotency_key);
    set("If-Match", extra.if_match);
    set("Tideline-Position", extra.position);
    set("X-Forwarded-For", extra.source);
    if (!body.is_null()) {
      request.headers.set("Content-Type", "application/json");
      request.body = body.is_string() ? body.get<std::string>() : body.dump();
    }
    return router->dispatch(request);
  }
  http::Response post(const std::string& path, const json& body, const Extra& extra = {}) {
    return call(http::Method::Post, path, body, extra);
  }
  http::Response get(const std::string& path, const std::string& token) {
    return call(http::Method::Get, path, nullptr, {.token = token});
  }

  static json registration(const std::string& user_id) {
    return {{"user_id", user_id},
            {"password", kPassword},
            {"real_name", "Ada " + user_id},
            {"email", user_id + "@campus.example"},
            {"department", "Mathematics"}};
  }
  static Tokens tokens_of(const json& body) {
    return {body.at("access_token").get<std::string>(),
            body.at("refresh_token").get<std::string>()};
  }
  // Registers and returns the tokens.
  Tokens enrol(const std::string& user_id) {
    const auto response = post("/v1/accounts", registration(user_id));
    EXPECT_EQ(response.status, 201) << response.body;
    return tokens_of(json::parse(response.body).at("session"));
  }
  http::Response sign_in(const std::string& user_id, const std::string& password = kPassword,
                         const Extra& extra = {}) {
    return post("/v1/sessions", {{"user_id", user_id}, {"password", password}}, extra);
  }
  http::Response refresh(const std::string& refresh_token) {
    return post("/v1/sessions/refresh", {{"refresh_token", refresh_token}});
  }

  std::vector<eventsourcing::RecordedEvent> events() {
    std::vector<eventsourcing::RecordedEvent> all;
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      const auto read = store.read_log(core::LogIndex(log), {}, 100'000).value();
      all.insert(all.end(), read.begin(), read.end());
    }
    return all;
  }
  std::size_t count(std::string_view type) {
    std::size_t found = 0;
    for (const auto& event : events()) found += event.type == type ? 1 : 0;
    return found;
  }
  // The mails so far, all sent.
  std::vector<mail::Mail> sent_mails() {
    std::jthread sender([&](const std::stop_token& stop) { mails.run(stop); });
    while (mails.status().sent < kept_mails.all().size() || mails.status().waiting > 0)
      std::this_thread::yield();
    sender.request_stop();
    sender.join();
    return kept_mails.all();
  }
  // The code in the last one of them.
  std::string mailed_code() {
    const auto all = sent_mails();
    std::smatch found;
    static const std::regex code("(^|\n)([a-z2-7]{32})\n");
    if (all.empty() || !std::regex_search(all.back().text, found, code)) return "no mail";
    return found[2];
  }
  // The outcome of every attempt so far.
  std::vector<std::string> attempts_seen() {
    const std::lock_guard lock(outcomes_mutex);
    return outcomes;
  }

  crypto::TemporaryFolder folder;
  core::ManualClock clock{kNoon};
  core::SystemRandom random;
  core::UtcCalendar campus;
  eventsourcing::InMemoryEventStore store{"accounts", kLogs, clock, random};
  RememberingStore remembering{store};
  http::CommandEndpoint endpoint{remembering, clock, campus};
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{7}};
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher{keys, clock, {.indexed_by = account_ids}};
  search::TermKeys person_terms{cipher, std::string(kPersonTermContext)};
  ProfileSeal profiles{cipher};
  KeptUploads uploads;
  uploads::InMemoryImageStore images{uploads};
  images::RenditionMaker renditions;
  http::SignedLinks links{{[](std::string_view text) { return std::string(text) + ".sealed"; },
                           [](std::string_view sealed) -> std::optional<std::string> {
                             if (!sealed.ends_with(".sealed")) return std::nullopt;
                             return std::string(sealed.substr(0, sealed.size() - 7));
                           }},
                          clock};
  crypto::PasswordHasher hasher;
  AttemptLimiter attempts;
  crypto::Codes codes{crypto::KeyedHash(crypto::KeyedHash::Secret{9})};
  KeptMails kept_mails;
  mail::MailQueue mails{kept_mails, {}, {}};
  EmailCodes emails;
  ProfileViewRecorder views{store, 16};
  eventsourcing::AppliedPositions accounts_applied;
  eventsourcing::AppliedPositions visits_applied;
  eventsourcing::AppliedPositions scores_applied;
  eventsourcing::AppliedPositions search_applied;
  eventsourcing::AppliedPositions projects_applied;
  eventsourcing::AppliedPositions blocks_applied;
  std::mutex outcomes_mutex;
  std::vector<std::string> outcomes;
  std::unique_ptr<crypto::TokenSigner> signer;
  std::unique_ptr<crypto::TokenVerifier> verifier;
  std::unique_ptr<http::Router> router;

 private:
  static sql::Database& nowhere() {
    static NoRows database;
    return database;
  }
};

// The code of a problem body, "" when it is none.
inline std::string problem_code(const http::Response& response) {
  const auto body = json::parse(response.body, nullptr, false);
  constexpr std::string_view kPrefix = "urn:tideline:problem:";
  if (!body.is_object() || !body.contains("type")) return "";
  const auto type = body.at("type").get<std::string>();
  return type.starts_with(kPrefix) ? type.substr(kPrefix.size()) : type;
}

}  // namespace tideline::accounts::testing
