// The service reads what its contracts promise it, and makes what its own schemas and consumers
// say.
#include "feed/projections/events_read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/messages/message_admission.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/group_reading.hpp"
#include "feed/domain/like.hpp"
#include "feed/domain/message.hpp"
#include "feed/domain/message_reading.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed/domain/moment.hpp"
#include "feed/domain/timeline_reading.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "feed_app.hpp"
#include "support/contract.hpp"
#include "support/golden.hpp"
#include "support/schema.hpp"

namespace tideline::feed {
namespace {

using testing::FeedApp;
using ::testing::IsEmpty;
using testing::NoDatabase;
namespace es = eventsourcing;

es::RecordedEvent event_of(std::string source, std::string type, std::string data) {
  es::RecordedEvent event;
  event.source = std::move(source);
  event.type = std::move(type);
  event.data = std::move(data);
  return event;
}

TEST(EventsRead, UnderstandsEveryExampleOfItsContracts) {
  for (const std::string producer : {"accounts", "social-graph"}) {
    const auto contract = test_support::read_contract(TIDELINE_SOURCE_DIR, "feed", producer);
    EXPECT_THAT(test_support::broken_examples(contract), IsEmpty());
    for (const auto& promised : contract.events) {
      const auto event = promised.recorded(producer);
      const auto is_read = [](const es::RecordedEvent& of) {
        return read::read_event(of) || es::read_any<read::ContactRequestEvent>(of);
      };
      EXPECT_TRUE(is_read(event)) << promised.type;
      // Every field that is read is promised, and the other way round.
      for (const auto& [field, kind] : promised.kinds) {
        auto data = nlohmann::json::parse(event.data);
        data.erase(field);
        auto without = event;
        without.data = data.dump();
        EXPECT_THROW(is_read(without), es::PoisonEvent) << promised.type << " reads no " << field;
      }
    }
  }
}

// It is metadata since version 2; version 1 had it in the data, and at first nowhere.
TEST(EventsRead, FindsWhatTheWriterHadSeenInEveryVersion) {
  es::PositionVector seen;
  seen.raise("feed", core::LogIndex(3), core::LogPosition(4));
  auto event = event_of("social-graph", "TagDeleted", R"({"tag_id":"t"})");
  const auto seen_by = [](const es::RecordedEvent& of) {
    return std::get<read::TagDeleted>(read::read_event(of).value()).seen;
  };
  EXPECT_TRUE(seen_by(event).empty());
  event.data = R"({"tag_id":"t","seen":")" + seen.to_token() + R"("})";
  EXPECT_EQ(seen_by(event), seen);
  event.data = R"({"tag_id":"t","seen":"no token"})";
  EXPECT_THROW(seen_by(event), es::PoisonEvent);
  event.schema_version = core::SchemaVersion(2);
  EXPECT_TRUE(seen_by(event).empty()) << "it is no field of that version";
  event.metadata.seen = seen.to_token();
  EXPECT_EQ(seen_by(event), seen);
  event.schema_version = core::SchemaVersion(3);
  EXPECT_EQ(seen_by(event), seen) << "a newer version is read like the newest that is known";
}

TEST(EventsRead, PassesOverWhatItDoesNotUse) {
  EXPECT_EQ(read::read_event(event_of("accounts", "SignedIn", "{}")), std::nullopt);
  EXPECT_EQ(read::read_event(event_of("projects", "AccountClosed", "{}")), std::nullopt);
}

TEST(EventsRead, TakesMoreFieldsThanItKnows) {
  const core::AccountId ada(core::AccountId::Bytes{1});
  EXPECT_TRUE(read::read_event(event_of(
      "accounts", "AccountClosed", R"({"account_id":")" + ada.to_string() + R"(","why":"left"})")));
}

TEST(EventsRead, RefusesDamage) {
  for (const std::string data : {"", "[]", "{", R"({"account_id":7})", R"({"account_id":"x"})",
                                 R"({"account_id":"aaaaaaaaaaaaaaaaaaaaaaaaaa"})"}) {
    EXPECT_THROW(read::read_event(event_of("accounts", "AccountClosed", data)), es::PoisonEvent)
        << data;
  }
}

// What follows of rulings, which need a database: the codec makes it.
void append_hidden(FeedApp& app, es::Append& append) {
  const core::MomentId moment(7);
  const core::CommentId comment(8);
  const core::AccountId ada = app.id_of("ada");
  const eventsourcing::EventCodec<Moment> moments(app.cipher);
  const eventsourcing::EventCodec<Comment> comments(app.cipher);
  append.streams.push_back({keys::moment(moment),
                            core::StreamVersion(0),
                            {moments.encode(MomentHidden{moment, ada, app.clock.now()}),
                             moments.encode(MomentRestored{moment, ada, app.clock.now()})}});
  append.streams.push_back(
      {keys::comment(moment, comment),
       core::StreamVersion(0),
       {comments.encode(CommentHidden{moment, comment, ada, app.clock.now()}),
        comments.encode(CommentRestored{moment, comment, ada, app.clock.now()})}});
}

// Every event of this service, made by real commands.
std::vector<es::RecordedEvent> made_by_commands() {
  NoDatabase database;
  FeedApp app(database);
  const std::string group = core::make_time_ordered_id(app.clock.now(), app.random);
  const auto id = app.publish("ada", {{"content", "x"}, {"audience", "public"}});
  app.join("ada", group);
  app.publish("ada", {{"content", "x"}, {"audience", "partly-visible"}, {"group_ids", {group}}});
  const auto closes = core::format_iso8601(app.clock.now() + std::chrono::hours(1));
  const auto asked = app.publish(
      "ada", {{"content", "x"},
              {"audience", "public"},
              {"poll", {{"options", {"a", "b"}}, {"multiple", false}, {"closes_at", closes}}}});
  auto events = app.deliver();
  app.publish("bob", {{"audience", "public"}, {"repost_of", id}});
  EXPECT_LT(app.call("bob", http::Method::Put, "/v1/moments/" + asked + "/poll/vote",
                     {{"choices", {"1"}}})
                .status,
            300);
  const std::string path = "/v1/moments/" + id;
  const auto comment = app.comment("ada", id, {{"text", "x"}});
  for (const auto& [who, method, part] : {std::tuple{"bob", http::Method::Put, "/bookmark"},
                                          std::tuple{"bob", http::Method::Delete, "/bookmark"},
                                          std::tuple{"ada", http::Method::Put, "/pin"}}) {
    EXPECT_LT(app.call(who, method, path + part).status, 300) << part;
  }
  const nlohmann::json report{{"category", "spam"}};
  EXPECT_LT(app.call("bob", http::Method::Put, path + "/report", report).status, 300);
  EXPECT_EQ(app.like("ada", id), 204);
  EXPECT_EQ(app.call("bob", http::Method::Post, path + "/visits").status, 204);
  EXPECT_EQ(app.call("ada", http::Method::Patch, path, {{"content", "y"}}).status, 204);
  EXPECT_EQ(
      app.call("ada", http::Method::Put, path + "/audience", {{"audience", "private"}}).status,
      204);
  EXPECT_EQ(app.call("ada", http::Method::Put, "/v1/timeline/seen", {{"up_to", id}}).status, 204);
  for (const auto& part : {"/comments/" + comment, std::string("/like"), std::string()}) {
    EXPECT_EQ(app.call("ada", http::Method::Delete, path + part).status, 204) << part;
  }

  // Sending asks a directory of people in a database: here the decider and the codec do it.
  const eventsourcing::EventCodec<Message> codec(app.cipher);
  const core::AccountId ada = app.id_of("ada");
  const core::AccountId bob = app.id_of("bob");
  for (const Message::Command& command :
       {Message::Command(SendToPerson{ada, bob, false, "hi", app.clock.now()}),
        Message::Command(
            SendToGroup{ada, group, true, "hi", app.clock.now() + std::chrono::seconds(1)})}) {
    const auto decision = Message::decide({}, command);
    const auto& sent = std::get<MessageSent>(decision.events().at(0));
    es::Append append;
    append.time = app.clock.now();
    append.streams.push_back(
        {keys::message(ada, sent.sent_at), core::StreamVersion(0), {codec.encode(sent)}});
    EXPECT_TRUE(app.store.append(std::move(append)).ok());
  }
  es::Append append;
  append.time = app.clock.now();
  append.streams.push_back(
      {keys::message(ada, app.clock.now()),
       core::StreamVersion(1),
       {codec.encode(MessageRecalled{ada, bob, std::nullopt, app.clock.now(), app.clock.now()})}});
  const CaseDecided decided{
      core::MomentId(7), {}, ada, 1, bob, CaseDecision::Dismissed, "it is kind", app.clock.now()};
  const CaseRuled ruled{core::MomentId(7), {}, ada, 2, bob, CaseRuling::Hidden, "it is not",
                        app.clock.now()};
  const eventsourcing::EventCodec<ModerationCase> case_codec(app.cipher);
  append.streams.push_back({keys::moderation_case(decided.moment, core::CommentId()),
                            core::StreamVersion(0),
                            {case_codec.encode(decided), case_codec.encode(ruled)}});
  append_hidden(app, append);
  append.streams.push_back({keys::group_reading(bob, group),
                            core::StreamVersion(0),
                            {eventsourcing::EventCodec<GroupReading>{}.encode(
                                GroupMessagesRead{bob, group, {app.clock.now(), ada}})}});
  append.streams.push_back({keys::reading(bob, app.clock.now()),
                            core::StreamVersion(0),
                            {eventsourcing::EventCodec<MessageReading>{}.encode(
                                MessagesRead{bob, {{app.clock.now(), ada}}})}});
  EXPECT_TRUE(app.store.append(std::move(append)).ok());
  es::CommandContext context;
  context.now = app.clock.now();
  const auto admitted =
      es::run_command(app.store, context, [&](es::CommandSession& session) -> es::CommandResult {
        EXPECT_TRUE(admit_to_stranger(session, ada, bob));
        return es::Answer{};
      });
  EXPECT_TRUE(admitted.ok());
  EXPECT_EQ(
      app.call("ada", http::Method::Put, "/v1/messages/setting", {{"contacts_only", true}}).status,
      200);
  EXPECT_EQ(app.call("ada", http::Method::Put, "/v1/notifications/seen",
                     {{"up_to", core::format_iso8601(app.clock.now())}})
                .status,
            204);
  EXPECT_EQ(app.call("ada", http::Method::Put, "/v1/notifications/mutes",
                     {{"kinds", {"like", "contact-request"}}, {"moment_ids", {id}}})
                .status,
            204);
  for (auto& event : app.new_events()) events.push_back(std::move(event));
  return events;
}

TEST(FeedEvents, KeepThePromisesToTheirConsumers) {
  const auto contracts = test_support::contracts_with_producer(TIDELINE_SOURCE_DIR, "feed");
  EXPECT_THAT(test_support::broken_promises(contracts, made_by_commands()), IsEmpty());
}

TEST(FeedEvents, OfEveryVersionAreRead) {
  EXPECT_THAT((test_support::unread_golden_events<EveryEvent>(TIDELINE_SOURCE_DIR, "feed")),
              IsEmpty());
  std::set<std::string> read;
  for (const auto& event : test_support::golden_events(TIDELINE_SOURCE_DIR, "feed")) {
    if (read::read_event(event)) read.insert("feed/" + event.type);
  }
  for (const std::string& type : read::event_types()) {
    EXPECT_TRUE(!type.starts_with("feed/") || read.contains(type)) << type;
  }
}

TEST(FeedEvents, AreWhatTheirSchemasSay) {
  EXPECT_THAT(test_support::broken_schemas(TIDELINE_EVENT_SCHEMAS, "feed", made_by_commands()),
              IsEmpty());
}

TEST(FeedEvents, ARenamedFieldIsNoticed) {
  test_support::Contract contract{
      "reader", "feed", {{"MomentDeleted", 1, {{"writer", "account_id"}}, {}}}};
  EXPECT_EQ(test_support::broken_promises({contract}, made_by_commands()).size(), 1U);
}

}  // namespace
}  // namespace tideline::feed
