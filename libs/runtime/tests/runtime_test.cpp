// The parts of the runtime that need no server.

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "crypto/tests/temporary_folder.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"
#include "runtime/append_log.hpp"
#include "runtime/arguments.hpp"
#include "runtime/campus_calendar.hpp"
#include "runtime/health.hpp"
#include "runtime/log_places.hpp"
#include "runtime/settings.hpp"
#include "runtime/text_seal.hpp"

namespace tideline::runtime {
namespace {

TEST(CampusCalendar, ADayBeginsAtTheCampusMidnight) {
  const auto calendar = load_campus_calendar("Asia/Shanghai");
  ASSERT_TRUE(calendar.ok());
  const auto before = *core::parse_iso8601("2026-01-01T15:59:59.999999Z");
  const auto after = *core::parse_iso8601("2026-01-01T16:00:00Z");
  EXPECT_EQ(core::format_day((*calendar)->day_of(before)), "2026-01-01");
  EXPECT_EQ(core::format_day((*calendar)->day_of(after)), "2026-01-02");
}

TEST(CampusCalendar, AnUnknownZoneIsAnError) {
  EXPECT_FALSE(load_campus_calendar("Campus/Nowhere").ok());
}

std::variant<Arguments, int> arguments_of(std::vector<std::string> words) {
  const Operation sort{"sort", "sorts", [](CLI::App& command) {
                         command.add_option("what")->required();
                         return [](const auto&, const auto&) { return 0; };
                       }};
  std::vector<char*> pointers;
  words.insert(words.begin(), "tideline-feed");
  for (std::string& word : words) pointers.push_back(word.data());
  return read_arguments(static_cast<int>(pointers.size()), pointers.data(), "feed", "1", {sort});
}

TEST(Arguments, AServiceServesUnlessAnOperationIsNamed) {
  const auto serve = std::get<Arguments>(arguments_of({"--config", "file"}));
  EXPECT_EQ(serve.config_file, "file");
  EXPECT_FALSE(serve.operation);
  const auto operate = std::get<Arguments>(arguments_of({"--config", "file", "sort", "it"}));
  EXPECT_EQ(operate.config_file, "file");
  EXPECT_TRUE(operate.operation);
  EXPECT_EQ(std::get<int>(arguments_of({"sort"})), 2);
  EXPECT_EQ(std::get<int>(arguments_of({"dance"})), 2);
}

TEST(CommonSettings, EveryMistakeIsReportedAtOnce) {
  core::Config config(
      "TIDELINE_HTTP_PORT=99999\nTIDELINE_LOGS=none\nTIDELINE_LOG_LEVEL=loud\nTIDELINE_TYPO=1\n"
      "TIDELINE_MIGRATIONS=perhaps\n",
      nullptr);
  CommonSettings::read(config);
  std::string all;
  for (const auto& mistake : config.mistakes()) all += mistake + "\n";
  for (const char* key :
       {"TIDELINE_HTTP_PORT", "TIDELINE_LOGS", "TIDELINE_LOG_LEVEL", "TIDELINE_MIGRATIONS",
        "TIDELINE_TYPO", "TIDELINE_DATABASE_URL", "TIDELINE_KAFKA_BROKERS",
        "TIDELINE_ACCOUNT_SECRET_FILE", "TIDELINE_JWT_PUBLIC_KEYS"}) {
    EXPECT_NE(all.find(key), std::string::npos) << key << " is not in:\n" << all;
  }
}

std::string mistake_in(std::string_view places) {
  const auto parsed = parse_log_places(places, 16);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(CommonSettings, FilesOfTlsComeTogetherAndCanBeUsed) {
  const auto read = [](const char* settings) {
    core::Config config(settings, nullptr);
    const bool has_tls = CommonSettings::read(config).server.tls.has_value();
    std::string all;
    for (const auto& mistake : config.mistakes()) all += mistake + "\n";
    return std::pair(has_tls, all);
  };
  const auto [in_clear, nothing] = read("");
  EXPECT_FALSE(in_clear);
  EXPECT_EQ(nothing.find("TLS"), std::string::npos) << nothing;
  const auto [in_tls, told] = read("TIDELINE_HTTP_TLS_CERTIFICATE=/no/such/file.pem\n");
  EXPECT_TRUE(in_tls) << "a mistake leads to no server in clear";
  EXPECT_NE(told.find("/no/such/file.pem: "), std::string::npos) << told;
}

TEST(LogPlaces, AreRangesWithTheirDatabases) {
  const auto places = parse_log_places("0-7=host=a dbname=x;12=postgres://b/y;", 16);
  ASSERT_TRUE(places.ok());
  ASSERT_EQ(places->size(), 2U);
  EXPECT_EQ((*places)[0].last, 7U);
  EXPECT_EQ((*places)[0].conninfo, "host=a dbname=x");
  EXPECT_EQ((*places)[1].first, 12U);
  EXPECT_EQ((*places)[1].last, 12U);
  EXPECT_EQ(mistake_in(""), "");
  EXPECT_EQ(mistake_in("0-16=host=a"), "names log 16 of 16");
  EXPECT_EQ(mistake_in("0-7=host=a;7-9=host=b"), "names log 7 twice");
  for (const char* malformed : {"0-7", "a-b=host=a", "7-0=host=a", "0-7=", "-7=x", ";"}) {
    EXPECT_NE(mistake_in(malformed).find("must be"), std::string::npos) << malformed;
  }
}

TEST(LogPools, EachDatabaseHasOnePoolAndTheRestOfTheLogsLieInTheMainOne) {
  postgres::PooledDatabase main({.conninfo = "host=main"});
  const LogPools pools(
      main, {{1, 2, "host=a"}, {3, 3, "host=main"}, {4, 4, "host=a"}, {5, 5, "host=b"}}, 7);
  const auto databases = pools.databases();
  EXPECT_EQ(databases.count(), 3U);
  for (const std::uint32_t log : {0, 3, 6}) {
    EXPECT_EQ(&databases.of(core::LogIndex(log)), &main) << log;
  }
  EXPECT_EQ(&databases.of(core::LogIndex(1)), &databases.of(core::LogIndex(4)));
  EXPECT_EQ(databases.of(core::LogIndex(5)).options().conninfo, "host=b");
  EXPECT_EQ(pools.all().front(), &main);
  EXPECT_EQ(pools.all().size(), 3U);
}

TEST(AppendLog, ACommandIsLoggedWithItsIdsAndWithoutItsContents) {
  core::ManualClock clock(core::Timestamp{});
  core::SeededRandom random(1);
  std::vector<std::string> lines;
  observability::Logging logging({"feed",
                                  observability::Level::Info,
                                  {},
                                  [&](std::string_view line) { lines.emplace_back(line); }},
                                 clock);
  eventsourcing::InMemoryEventStore store("feed", 4, clock, random);
  AppendLog log(logging.logger("commands"));
  store.observe(log);

  eventsourcing::Append append;
  append.streams.push_back({core::StreamId("moment-1"),
                            core::StreamVersion(0),
                            {{"MomentPublished", core::SchemaVersion(1), R"({"text":"secret"})",
                              eventsourcing::Visibility::Public}}});
  append.metadata = {"the-correlation", "the-request", ""};
  ASSERT_TRUE(store.append(append).ok());
  ASSERT_EQ(lines.size(), 1U);
  const auto line = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(line["streams"], "moment-1");
  EXPECT_EQ(line["types"], "MomentPublished");
  EXPECT_EQ(line["request_id"], "the-request");
  EXPECT_EQ(line["correlation_id"], "the-correlation");
  EXPECT_EQ(lines[0].find("secret"), std::string::npos);

  ASSERT_TRUE(store.append(append).ok());  // conflicts: nothing was appended
  EXPECT_EQ(lines.size(), 1U);
}

TEST(TextSeal, OnlyWhatWasSealedUnderTheSameSecretComesIn) {
  const auto ours = make_text_seal("position", crypto::KeyFolder::of({1}));
  const auto theirs = make_text_seal("position", crypto::KeyFolder::of({2}));
  const std::string sealed = ours.seal("ZmVlZDowPTE");
  EXPECT_EQ(ours.open(sealed), "ZmVlZDowPTE");
  EXPECT_EQ(theirs.open(sealed), std::nullopt);
  EXPECT_EQ(ours.open("ZmVlZDowPTE"), std::nullopt);
  EXPECT_EQ(make_text_seal("link", crypto::KeyFolder::of({1})).open(sealed), std::nullopt);
  EXPECT_EQ(ours.open("ZmVlZDowPTI" + sealed.substr(sealed.find('.'))), std::nullopt);
}

// All of a day's tokens go on while keys are replaced in one process after the other.
TEST(TextSeal, TheLastKeySealsAndAllOpen) {
  crypto::TemporaryFolder folder;
  folder.write("1.key", std::string(64, 'a'));
  const auto load = [&] {
    return make_text_seal("position", *crypto::KeyFolder::load(folder.path()));
  };
  const auto runs = load();
  const std::string before = runs.seal("earlier");
  folder.write("2.key", std::string(64, 'b'));
  const auto started_later = load();
  const std::string after = started_later.seal("later");
  EXPECT_EQ(started_later.open(before), "earlier");
  EXPECT_EQ(runs.open(after), "later") << "sealed by a key that it has not met";
  EXPECT_NE(runs.seal("later"), after) << "others may not know that key yet";
  std::filesystem::remove(folder.path() / "1.key");
  EXPECT_EQ(load().open(before), std::nullopt);
  EXPECT_EQ(load().open(after), "later");
}

TEST(TextSeal, ANewKeyIsFoundAtTheNextInterval) {
  crypto::TemporaryFolder folder;
  folder.write("1.key", std::string(64, 'a'));
  std::vector<std::string> trouble;
  const auto runs =
      make_text_seal("position", *crypto::KeyFolder::load(folder.path()), std::chrono::seconds(0),
                     [&](const std::string& why) { trouble.push_back(why); });
  const auto before = runs.seal("token");
  folder.write("2.key", std::string(64, 'b'));
  const auto after = runs.seal("token");
  EXPECT_NE(after, before);
  EXPECT_TRUE(trouble.empty());
  folder.write("3.key", "no key");
  EXPECT_EQ(runs.seal("token"), after) << "what cannot be read changes nothing";
  EXPECT_EQ(runs.open(before), "token");
  ASSERT_EQ(trouble.size(), 1U) << "told once";
  EXPECT_NE(trouble[0].find("3.key"), std::string::npos);
}

TEST(TextSeal, TheRouterOpensWhatComesInAndSealsWhatGoesOut) {
  core::ManualClock clock(core::Timestamp{});
  http::Router router(nullptr, clock);
  const auto seal = make_text_seal("position", crypto::KeyFolder::of({1}));
  router.set_position_seal(seal);
  std::string seen;
  router.add(http::Method::Get, "/position", http::Access::Public, [&](const http::Request& asked) {
    seen = std::string(asked.header(http::kPositionHeader).value_or(""));
    return http::Response::no_content().header(http::kPositionHeader, "written");
  });
  http::Request request;
  request.path = "/position";
  request.headers.set(http::kPositionHeader, seal.seal("earlier"));
  const auto answered = router.dispatch(request);
  EXPECT_EQ(seen, "earlier");
  EXPECT_EQ(answered.headers.find(http::kPositionHeader), seal.seal("written"));
  request.headers.set(http::kPositionHeader, "made-up");
  EXPECT_EQ(router.dispatch(request).status, 400);
}

class HealthRoutes : public ::testing::Test {
 protected:
  http::Response ask(const std::string& path) {
    http::Request request;
    request.method = http::Method::Get;
    request.path = path;
    return router_.dispatch(request);
  }

  core::ManualClock clock_{core::Timestamp{}};
  observability::Metrics metrics_;
  http::Router router_{nullptr, clock_};
  Health health_;
};

TEST_F(HealthRoutes, AServiceIsReadyOnceItHasStartedAndAllPartsAre) {
  bool caught_up = false;
  health_.add("projection", [&] { return PartHealth{caught_up, false, "", 7}; });
  health_.add_routes(router_, metrics_);
  EXPECT_EQ(ask("/livez").status, 200);
  EXPECT_EQ(ask("/readyz").status, 503);
  health_.set_started();
  EXPECT_EQ(ask("/readyz").status, 503);
  caught_up = true;
  EXPECT_EQ(ask("/readyz").status, 200);
  EXPECT_EQ(nlohmann::json::parse(ask("/readyz").body)["lag"], 7);
  health_.set_stopping();
  EXPECT_EQ(ask("/readyz").status, 404) << "503 would break off what it has begun";
  EXPECT_EQ(ask("/livez").status, 200);
}

TEST_F(HealthRoutes, ADegradedPartIsShownButTheServiceStaysReady) {
  health_.add("topics", [] { return PartHealth{true, true, "Kafka has not answered yet", 0}; });
  health_.add_routes(router_, metrics_);
  health_.set_started();
  const auto response = ask("/readyz");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(nlohmann::json::parse(response.body)["status"], "degraded");
}

// What does not answer is asked by one thread, and nobody else waits for it.
TEST(PulseTest, TellsOfTheLastAnswerWhileTheNextOneDoesNotCome) {
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0;
  bool hangs = false;
  Pulse pulse([&] {
    std::unique_lock lock(mutex);
    ++asked;
    changed.notify_all();
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return !hangs; });
  });
  EXPECT_FALSE(pulse.is_there()) << "it has never answered";
  std::jthread watcher([&](const std::stop_token& stop) { pulse.run(stop); });
  const auto wait_until = [&](const std::function<bool()>& condition) {
    std::unique_lock lock(mutex);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      changed.wait_for(lock, std::chrono::milliseconds(5));
    }
    return condition();
  };
  EXPECT_TRUE(wait_until([&] { return pulse.is_there(); }));
  {
    const std::lock_guard lock(mutex);
    hangs = true;
    asked = 0;
  }
  EXPECT_TRUE(wait_until([&] { return asked == 1; }));
  EXPECT_TRUE(wait_until([&] { return !pulse.is_there(); })) << "and one thread alone waits";
  {
    const std::lock_guard lock(mutex);
    hangs = false;
    EXPECT_EQ(asked, 1);
  }
  changed.notify_all();
  EXPECT_TRUE(wait_until([&] { return pulse.is_there(); }));
}

}  // namespace
}  // namespace tideline::runtime
