// A service's binary as its operator's tool, over a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "postgres/tests/integration/fresh_database.hpp"
#include "runtime/composition.hpp"
#include "runtime/service.hpp"

namespace tideline::runtime {
namespace {

using ::testing::HasSubstr;

// Whose private key nobody has kept.
constexpr const char* kPublicKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwEHrRIe4+x51uhPqjNsPvcHClcBT\n"
    "gLiPFYCQ2qgJ9ihrJUDpPHTJHFppKvk+ZfcqWCbqT5CIYgMDvhNRguU9KQ==\n"
    "-----END PUBLIC KEY-----\n";

class Nothing final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "notes"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  void load(sql::Transaction&) override {}
  void apply(const eventsourcing::RecordedEvent&) override {}
  void flush(sql::Transaction&) override {}
};

// An operation of this service alone.
Operation greeting() {
  const auto declare = [](CLI::App& command) -> Operation::Run {
    const auto whom = std::make_shared<std::string>();
    command.add_option("WHOM", *whom, "who is greeted")->required();
    return [whom](RunningService& service, const std::stop_token&) {
      std::printf("%s greets %s\n", service.definition().name.c_str(), whom->c_str());
      return 0;
    };
  };
  return {"greet", "says good day", declare};
}

struct Outcome {
  int code = -1;
  std::string output;
};

class Operations : public ::testing::Test {
 protected:
  Operations() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    std::filesystem::create_directory(folder_ + "/jwt");
    std::ofstream(folder_ + "/jwt/test.pem") << kPublicKey;
    std::ofstream(folder_ + "/secret") << std::string(64, 'a') << "\n";
    std::ofstream(folder_ + "/config")
        << "TIDELINE_DATABASE_URL=" << options_.conninfo
        << "\nTIDELINE_KAFKA_BROKERS=127.0.0.1:1\nTIDELINE_LOGS=4\nTIDELINE_ACCOUNT_SECRET_FILE="
        << folder_ << "/secret\nTIDELINE_JWT_PUBLIC_KEYS=" << folder_ << "/jwt\n";
    park(1);
    park(2);
  }
  ~Operations() override { std::filesystem::remove_all(folder_); }

  void park(int position) {
    const auto parked = database_.transact([&](sql::Transaction& transaction) {
      transaction.execute(
          "INSERT INTO projection_checkpoint VALUES ('notes', 'feed', 3, 9, 9, 5)"
          " ON CONFLICT DO NOTHING");
      transaction.execute(
          "INSERT INTO dead_letter (projection, service, log, position, stream, stream_version,"
          " event_id, type, schema_version, event_time, data, reason) VALUES"
          " ('notes', 'feed', 3, $1, 'a', $1, 'id', 'Noted', 1, now(), '{}', $2)",
          {position, "line\nbreak"});
    });
    EXPECT_TRUE(parked.ok()) << (parked.ok() ? "" : parked.error().message);
  }

  // The service's binary with these arguments, in a process of its own.
  Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), {"tideline-feed", "--config", folder_ + "/config"});
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      const int code = run_service(
          static_cast<int>(arguments.size()), arguments.data(),
          {.name = "feed",
           .version = "0",
           .migrations = {},
           .uses_people = false,
           .compose =
               [](ServiceContext& context) { context.add_projection(std::make_unique<Nothing>()); },
           .operations = {greeting()}});
      std::fflush(stdout);
      std::_Exit(code);
    }
    close(ends[1]);
    Outcome outcome;
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = read(ends[0], bytes.data(), bytes.size())) > 0;) {
      outcome.output.append(bytes.data(), static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }
  std::int64_t count(const std::string& sql) {
    const auto rows = database_.query(sql, {});
    EXPECT_TRUE(rows.ok());
    return rows.ok() ? rows->at(0).integer(0) : -1;
  }

 private:
  std::string folder_ = "/tmp/tideline-operations-XXXXXX";
  const postgres::DatabaseOptions options_ = postgres::testing::fresh_database(4);
  postgres::PooledDatabase database_{options_};
};

TEST_F(Operations, MigrateEndsWhenTheDatabasesAreReady) {
  // As where services wait for it.
  setenv("TIDELINE_MIGRATIONS", "await", 1);
  const Outcome outcome = run({"migrate"});
  unsetenv("TIDELINE_MIGRATIONS");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("as this version needs them"));
  EXPECT_EQ(count("SELECT count(*) FROM schema_migration WHERE part = 'revocations'"), 1);
}

TEST_F(Operations, ParkedEventsAreListedALineEach) {
  const Outcome text = run({"dead-letters"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.output, HasSubstr("notes feed/3/1 Noted a "));
  EXPECT_THAT(text.output, HasSubstr(": line break\n")) << "one line each";
  const Outcome json = run({"dead-letters", "--json"});
  EXPECT_EQ(json.code, 0);
  const auto first = nlohmann::json::parse(json.output.substr(0, json.output.find('\n')));
  EXPECT_EQ(first.at("place"), "feed/3/1");
  EXPECT_EQ(first.at("projection"), "notes");
  EXPECT_EQ(first.at("reason"), "line\nbreak");
  EXPECT_EQ(first.at("replay_requested"), false);
}

TEST_F(Operations, AReplayIsAskedForAndTheOwnerSentBack) {
  EXPECT_EQ(run({"dead-letters", "replay", "notes", "feed/3/2"}).output,
            "2 events of notes will be applied again\n");
  EXPECT_EQ(count("SELECT count(*) FROM dead_letter WHERE replay_requested_at IS NOT NULL"), 2);
  EXPECT_EQ(count("SELECT generation FROM projection_checkpoint"), 6);
}

TEST_F(Operations, ASkipSaysWhoAndWhy) {
  EXPECT_EQ(run({"dead-letters", "skip", "notes", "feed/3/1"}).code, 2) << "nobody, and no reason";
  EXPECT_EQ(count("SELECT count(*) FROM dead_letter"), 2);
  const Outcome done =
      run({"dead-letters", "skip", "notes", "feed/3/1", "--reason", "a typo", "--by", "ada"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.output, "feed/3/1 is skipped; 1 event behind it will be applied\n");
  EXPECT_EQ(count("SELECT count(*) FROM dead_letter_skip WHERE reason = 'a typo'"
                  " AND skipped_by = 'ada'"),
            1);
}

TEST_F(Operations, AServiceHasOnesOfItsOwn) {
  const Outcome greeted = run({"greet", "Ada"});
  EXPECT_EQ(greeted.code, 0);
  EXPECT_EQ(greeted.output, "feed greets Ada\n");
  EXPECT_EQ(run({"greet"}).code, 2) << "whom?";
}

TEST_F(Operations, WhatDoesNotExistIsRefused) {
  EXPECT_EQ(run({"dead-letters", "replay", "poems"}).code, 1);
  EXPECT_EQ(run({"dead-letters", "replay", "notes", "feed/3"}).code, 1);
  EXPECT_EQ(run({"dead-letters", "replay", "notes", "feed/3/9"}).code, 1);
  EXPECT_EQ(run({"dead-letters", "bury", "notes"}).code, 2);
  EXPECT_EQ(count("SELECT count(*) FROM dead_letter WHERE replay_requested_at IS NULL"), 2);
}

}  // namespace
}  // namespace tideline::runtime
