// The service without servers: its routes over a store, keys and clock in memory. Events reach the
// engine when a test says so, as Kafka would bring them; tables are written when there is a
// database.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eventsourcing/store/in_memory_event_store.hpp"
#include "feed/api/routes.hpp"
#include "feed/projections/feed_projection.hpp"
#include "feed/projections/notifications/notification_projection.hpp"
#include "feed/projections/search/search_projection.hpp"
#include "feed/stream_keys.hpp"
#include "http/routing/authentication.hpp"
#include "support/plain_seal.hpp"

namespace tideline::feed::testing {

// A test's bearer token is the account id itself.
class TrustingVerifier final : public http::TokenVerifier {
 public:
  core::Result<http::VerifiedToken> verify(std::string_view bearer, core::Timestamp now) override {
    const auto account = core::AccountId::parse(bearer);
    if (!account) return core::invalid_input("no account id");
    const auto given = roles.find(*account);
    const auto held = given == roles.end() ? std::vector<std::string>{} : given->second;
    return http::VerifiedToken{{*account, held}, now + std::chrono::hours(1)};
  }

  std::map<core::AccountId, std::vector<std::string>> roles;
};

class NoDatabase final : public sql::Database {
 public:
  core::Status transact(const std::function<void(sql::Transaction&)>&) override {
    return core::unavailable("this test has no database");
  }
  core::Status snapshot(const std::function<void(sql::Transaction&)>&) override {
    return core::unavailable("this test has no database");
  }
};

class FeedApp {
 public:
  using Json = nlohmann::json;
  static constexpr std::uint32_t kLogs = 4;

  // `content_bytes`: of what the routes remember of texts and names.
  // `vapid_given`: messages are sent to browsers.
  explicit FeedApp(sql::Database& database_given, std::size_t content_bytes = std::size_t{1} << 24,
                   std::optional<push::Vapid> vapid_given = std::nullopt)
      : database(database_given), contents(content_bytes, clock), vapid(std::move(vapid_given)) {
    engine_applied.reset(engine.sources(), {});
    tables_applied.reset(tables.sources(), {});
    search_applied.reset(search.sources(), {});
    notifications_applied.reset(notifications.sources(), {});
    people_applied.reset({"accounts"}, {});
    engine.watch(engine_applied);
    status.caught_up_once = true;
    status.behind = std::chrono::milliseconds(0);
    router.set_signed_links(links);
    forgetful_router.set_signed_links(links);
    add_routes(router, ports_with(contents));
    add_routes(forgetful_router, ports_with(nothing));
  }

  core::AccountId id_of(const std::string& user_id) const { return account_ids.of(user_id); }

  void give_role(const std::string& who, std::string role) {
    verifier->roles[id_of(who)].push_back(std::move(role));
  }

  struct Extra {
    std::string position;         // Tideline-Position
    std::string idempotency_key;  // "" = none
  };

  // The live timeline, from behind the event of that id.
  http::Response listen(const std::string& who, const std::optional<std::string>& last_event_id) {
    http::Request request;
    if (last_event_id) request.headers.set("Last-Event-ID", *last_event_id);
    return call(who, http::Method::Get, "/v1/timeline/stream", nullptr, {}, std::move(request));
  }
  http::Response call(const std::string& who, http::Method method, const std::string& path,
                      const Json& body = nullptr, const Extra& extra = {},
                      http::Request request = {}) {
    request.method = method;
    const auto mark = path.find('?');
    request.path = path.substr(0, mark);
    if (mark != std::string::npos) read_query(path.substr(mark + 1), request);
    if (!who.empty()) {
      request.headers.set("Authorization", "Bearer " + id_of(who).to_string());
    }
    if (!extra.position.empty()) request.headers.set("Tideline-Position", extra.position);
    if (!extra.idempotency_key.empty()) {
      request.headers.set("Idempotency-Key", extra.idempotency_key);
    }
    if (!body.is_null()) {
      request.headers.set("Content-Type", "application/json");
      request.body = body.is_string() ? body.get<std::string>() : body.dump();
    }
    request.request_id = "r";
    request.correlation_id = "c";
    const http::Request again = request;
    auto response = router.dispatch(request);
    if (method == http::Method::Get && compares) expect_same_without_contents(again, response);
    return response;
  }

  http::Response get(const std::string& who, const std::string& path, const Extra& extra = {}) {
    return call(who, http::Method::Get, path, nullptr, extra);
  }
  http::Response post(const std::string& who, const std::string& path, const Json& body,
                      const Extra& extra = {}) {
    return call(who, http::Method::Post, path, body, extra);
  }

  // Publishes and returns the moment's id.
  std::string publish(const std::string& who, const Json& moment, const Extra& extra = {}) {
    const auto response = post(who, "/v1/moments", moment, extra);
    EXPECT_EQ(response.status, 201) << response.body;
    return response.status == 201 ? Json::parse(response.body)["id"].get<std::string>() : "";
  }

  // Uploads an image and returns its hash.
  std::string upload(const std::string& who, const std::string& bytes) {
    const auto response = call(who, http::Method::Post, "/v1/images", Json(bytes));
    EXPECT_EQ(response.status, 201) << response.body;
    return response.status == 201 ? Json::parse(response.body)["hash"].get<std::string>() : "";
  }

  // Comments and returns the comment's id.
  std::string comment(const std::string& who, const std::string& moment, const Json& body,
                      const Extra& extra = {}) {
    const auto response = post(who, "/v1/moments/" + moment + "/comments", body, extra);
    EXPECT_EQ(response.status, 201) << response.body;
    return response.status == 201 ? Json::parse(response.body)["id"].get<std::string>() : "";
  }
  int like(const std::string& who, const std::string& moment) {
    return call(who, http::Method::Put, "/v1/moments/" + moment + "/like").status;
  }

  // An event of another service.
  void tell(const std::string& source, const std::string& type, const Json& data) {
    eventsourcing::RecordedEvent event;
    event.source = source;
    event.type = type;
    event.log = core::LogIndex(0);
    event.position = core::LogPosition(++foreign_positions_[source]);
    event.time = clock.now();
    event.data = data.dump();
    engine.apply(event);
    search.apply(event);
    notifications.apply(event);
    eventsourcing::PositionVector reached;
    reached.raise(source, event.log, event.position);
    engine_applied.advance(reached);
  }
  void befriend(const std::string& one, const std::string& other) {
    tell("social-graph", "ContactAccepted",
         {{"from", id_of(one).to_string()}, {"to", id_of(other).to_string()}});
  }
  void exclude(const std::string& owner, const std::string& other) {
    tell("social-graph", "MomentSettingChanged",
         {{"owner", id_of(owner).to_string()},
          {"other", id_of(other).to_string()},
          {"hides_other", false},
          {"hidden_from_other", true}});
  }
  void block(const std::string& by, const std::string& other) {
    tell("social-graph", "PersonBlocked",
         {{"by", id_of(by).to_string()}, {"other", id_of(other).to_string()}});
  }
  // Returns the tag's id.
  std::string make_tag(const std::string& owner) {
    const std::string tag_id = core::make_time_ordered_id(clock.now(), random);
    tell("social-graph", "TagCreated",
         {{"owner", id_of(owner).to_string()}, {"tag_id", tag_id}, {"name", "sealed"}});
    return tag_id;
  }
  void join(const std::string& who, const std::string& group_id) {
    tell("social-graph", "GroupJoined",
         {{"group_id", group_id}, {"account_id", id_of(who).to_string()}});
  }

  void leave(const std::string& who, const std::string& group_id) {
    tell("social-graph", "GroupLeft",
         {{"group_id", group_id}, {"account_id", id_of(who).to_string()}});
  }

  // Of somebody's words the routes remember nothing more, as after a start.
  void forget_words_of(const std::string& who) {
    contents.after_use(read::AccountClosed{id_of(who)});
  }

  // Events of this service since the last time.
  std::vector<eventsourcing::RecordedEvent> new_events() {
    std::vector<eventsourcing::RecordedEvent> events;
    for (std::uint32_t log = 0; log < kLogs; ++log) {
      auto read = store.read_log(core::LogIndex(log), read_.at("feed", core::LogIndex(log)), 1000);
      EXPECT_TRUE(read.ok());
      for (auto& event : *read) {
        read_.raise("feed", event.log, event.position);
        events.push_back(std::move(event));
      }
    }
    return events;
  }

  // Brings them to the engine, and to the tables.
  std::vector<eventsourcing::RecordedEvent> deliver() {
    auto events = deliver_to_engine();
    write_tables(events);
    return events;
  }
  std::vector<eventsourcing::RecordedEvent> deliver_to_engine() {
    auto events = new_events();
    for (const auto& event : events) engine.apply(event);
    engine_applied.advance(read_);
    return events;
  }

  void write_tables(const std::vector<eventsourcing::RecordedEvent>& events) {
    for (const auto& event : events) {
      tables.apply(event);
      search.apply(event);
      notifications.apply(event);
    }
    flush(tables, tables_applied);
    flush(search, search_applied);
    flush(notifications, notifications_applied);
  }

  void flush(eventsourcing::Projection& projection, eventsourcing::AppliedPositions& applied) {
    const auto flushed =
        database.transact([&](sql::Transaction& transaction) { projection.flush(transaction); });
    if (flushed) projection.flushed();
    applied.advance(read_);
  }

  // Whether each answer is held to what the tables alone would say.
  bool compares = true;
  sql::Database& database;
  core::ManualClock clock{core::Timestamp(std::chrono::milliseconds(1'800'000'000'000))};
  core::SeededRandom random{7};
  eventsourcing::InMemoryEventStore store{"feed", kLogs, clock, random};
  http::CommandEndpoint endpoint{store, clock};
  crypto::InMemorySubjectKeys keys;
  crypto::AccountIds account_ids{crypto::AccountIds::Secret{1, 2, 3}};
  crypto::SubjectCipher cipher{keys, clock, {.indexed_by = account_ids}};
  core::MomentIdSource moment_ids{random};
  people::PeopleDirectory people;
  uploads::TableContentStore uploads{database};
  uploads::TableImageStore images{database, uploads};
  images::RenditionMaker renditions;
  std::shared_ptr<const http::SignedLinks> links =
      std::make_shared<http::SignedLinks>(test_support::plain_seal(), clock);
  MomentContents contents;
  MomentContents nothing{0, clock};
  FeedEngine engine{{.rules = {},
                     .on_fan_out = {},
                     .before_use = [this](const auto& event) { contents.before_use(event); },
                     .after_use = [this](const auto& event) { contents.after_use(event); }}};
  FeedProjection tables;
  SearchProjection search{cipher};
  NotificationProjection notifications;
  eventsourcing::AppliedPositions engine_applied, tables_applied, search_applied,
      notifications_applied, people_applied;
  eventsourcing::RunnerStatus status;
  Freshness freshness{{[this] { return status; }, [this] { return engine.is_rebuilding(); }, {}},
                      std::chrono::seconds(5)};
  // Where every shard is, until a test says otherwise; and what the other instances are asked.
  ShardPlace place{ShardPlace::Kind::Here, "feed-0", ""};
  std::vector<std::function<void()>> waiting;
  std::vector<std::pair<http::OutgoingRequest, http::Client::Then>> asked;
  ShardRouter shard_router{
      {.find = [this](std::size_t) { return place; },
       .after_next_look = [this](auto then) { waiting.push_back(then); },
       .ask = [this](const auto& request, auto then) { asked.emplace_back(request, then); },
       .instance = "feed-0"}};
  TimelineStreams streams{{engine.reader(), engine_applied, freshness, shard_router}};
  const std::optional<push::Vapid> vapid;
  StoredUnread unread{{database, engine.reader()}};
  NotificationStreams notification_streams{{unread, engine_applied, freshness}};
  std::shared_ptr<TrustingVerifier> verifier = std::make_shared<TrustingVerifier>();
  http::Router router{verifier, clock};
  http::Router forgetful_router{verifier, clock};

 private:
  ApiPorts ports_with(MomentContents& remembered) {
    return {endpoint,
            database,
            moment_ids,
            account_ids,
            cipher,
            people,
            uploads,
            images,
            renditions,
            *links,
            engine.reader(),
            remembered,
            freshness,
            shard_router,
            streams,
            notification_streams,
            vapid ? &*vapid : nullptr,
            push::Reach::Public,
            engine_applied,
            tables_applied,
            search_applied,
            notifications_applied,
            people_applied,
            kLogs,
            clock};
  }

  // What is answered at once is answered so by who has just been asked, and by who has never been.
  void expect_same_without_contents(http::Request request, const http::Response& answered) {
    if (answered.status != 200 || answered.deferred || answered.events) return;
    http::Request once_more = request;
    const auto remembered = router.dispatch(once_more);
    const auto read = forgetful_router.dispatch(request);
    for (const auto* other : {&remembered, &read}) {
      EXPECT_EQ(other->status, 200) << request.path << ": " << other->body;
      if (other->status != 200) continue;
      if (Json::accept(answered.body)) {
        EXPECT_EQ(Json::parse(other->body), Json::parse(answered.body)) << request.path;
      } else {  // the bytes of an image
        EXPECT_TRUE(other->body == answered.body) << request.path;
      }
    }
  }

  static void read_query(const std::string& text, http::Request& request) {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const auto end = std::min(text.find('&', begin), text.size());
      const auto mark = text.find('=', begin);
      request.query_parameters.emplace_back(text.substr(begin, mark - begin),
                                            text.substr(mark + 1, end - mark - 1));
      begin = end + 1;
    }
  }

  std::map<std::string, std::uint64_t> foreign_positions_;
  eventsourcing::PositionVector read_;
};

}  // namespace tideline::feed::testing
