#include "postgres/connections/database.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <future>
#include <memory>
#include <stdexcept>

#include "cutting_proxy.hpp"
#include "fresh_database.hpp"
#include "two_clusters.hpp"

namespace tideline::postgres::testing {
namespace {

using core::ErrorCode;
using sql::Param;
using sql::Params;
using sql::Transaction;
using sql::TransactionFailed;

class DatabaseTest : public ::testing::Test {
 protected:
  core::Status run(const std::string& sql, const Params& params = {}) {
    return database_.transact([&](Transaction& t) { t.execute(sql, params); });
  }
  std::string one(const std::string& sql) {
    return database_.query(sql, {}).value().front().text(0);
  }

  // What two statements of a read see of a table, between which somebody else puts a row into it.
  std::pair<std::int64_t, std::int64_t> rows_seen_by(Transaction& reader) {
    const auto count = [&] { return reader.execute("SELECT count(*) FROM item")[0].integer(0); };
    const std::int64_t before = count();
    EXPECT_TRUE(run("INSERT INTO item VALUES (1)").ok());
    return {before, count()};
  }

  DatabaseOptions options_ = [] {
    DatabaseOptions options = empty_database();
    options.connections_max = 2;
    options.checkout_deadline = std::chrono::milliseconds(300);
    options.statement_timeout = std::chrono::milliseconds(1500);
    options.lock_timeout = std::chrono::milliseconds(300);
    return options;
  }();
  PooledDatabase database_{options_};
};

TEST_F(DatabaseTest, ValuesComeBackAsTheyWereSent) {
  const std::string awkward = "quotes ' \" back\\slash\ttab\nline {brace} ünïcödé";
  const auto account = core::AccountId({1, 2, 3});
  const auto time = *core::parse_iso8601("2026-01-02T03:04:05.678901Z");
  const auto rows = database_.query(
      "SELECT $1::text, $2::text, $3::bigint, $4::boolean, $5::uuid,"
      " (extract(epoch FROM $6::timestamptz) * 1000000)::bigint, $7::date, $8::text[],"
      " $9::double precision, $10::text",
      {awkward, std::nullopt, std::int64_t{-5}, true, account, time, core::utc_day(time),
       std::vector<std::string>{awkward, "", "NULL"}, 0.1, ""});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const auto& row = rows->front();
  EXPECT_EQ(row.text(0), awkward);
  EXPECT_TRUE(row.is_null(1));
  EXPECT_EQ(row.integer(2), -5);
  EXPECT_TRUE(row.boolean(3));
  EXPECT_EQ(row.account(4), account);
  EXPECT_EQ(row.timestamp_us(5), time);
  EXPECT_EQ(row.day(6), core::utc_day(time));
  EXPECT_EQ(row.text_array(7), (std::vector<std::string>{awkward, "", "NULL"}));
  EXPECT_EQ(row.text(8), "0.1");
  EXPECT_EQ(row.nullable_text(9), "");
}

// An array that was sent in binary form is the one that its literal says.
TEST_F(DatabaseTest, ArraysComeAsTheirLiteralsSay) {
  const auto same = [&](const std::string& type, const Param& array) {
    const auto rows =
        database_.query("SELECT $1::" + type + "[] IS NOT DISTINCT FROM $2::" + type + "[]",
                        {array, *array.text()});
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return rows.ok() && rows->front().boolean(0);
  };
  const auto time = [](std::int64_t us) { return core::Timestamp(std::chrono::microseconds(us)); };
  const auto day = [](int days) { return core::Day(std::chrono::days(days)); };
  EXPECT_TRUE(same("boolean", std::vector<std::optional<bool>>{true, std::nullopt, false}));
  EXPECT_TRUE(same("smallint", std::vector<int>{-1, 0, 32'767}));
  EXPECT_TRUE(same("integer", std::vector<std::uint32_t>{0, 2'147'483'647}));
  EXPECT_TRUE(same("uuid", std::vector{core::AccountId({1, 2, 3}), core::AccountId()}));
  EXPECT_TRUE(same("uuid", std::vector<std::string>{core::AccountId({255}).to_uuid()}));
  EXPECT_TRUE(same("jsonb", std::vector<std::string>{R"({"a": "\"b\""})", "null"}));
  EXPECT_TRUE(same("timestamptz", std::vector{time(0), time(-1), time(1'767'323'045'678'901)}));
  EXPECT_TRUE(same("date", std::vector{day(0), day(-40'000), day(10'957), day(20'455)}));
  EXPECT_TRUE(same("text", std::vector<std::string>()));
  EXPECT_TRUE(same("date", std::vector<std::optional<core::Day>>()));
  EXPECT_TRUE(same("bigint", std::vector<std::optional<int>>{std::nullopt}));
  EXPECT_TRUE(rc::check("numbers", [&](const std::vector<std::int64_t>& numbers) {
    RC_ASSERT(same("bigint", numbers));
  }));
  EXPECT_TRUE(rc::check("texts", [&](const std::vector<std::pair<bool, std::string>>& drawn) {
    std::vector<std::optional<std::string>> texts;
    for (auto [null, text] : drawn) {
      // What PostgreSQL takes for text.
      std::erase_if(text, [](char c) { return c == '\0' || (c & '\x80') != 0; });
      texts.push_back(null ? std::nullopt : std::optional(text));
    }
    RC_ASSERT(same("text", texts));
  }));
}

TEST_F(DatabaseTest, CopiesAwkwardRowsAlsoIntoAnotherSchema) {
  ASSERT_TRUE(run("CREATE SCHEMA next").ok());
  ASSERT_TRUE(run("CREATE TABLE next.moment (id bigint, \"text\" text)").ok());
  const std::vector<std::string> texts = {"\\N", "a\tb", "a\nb\r", "\\", "", "'\"", "\\."};
  std::vector<Params> rows;
  for (std::size_t i = 0; i < texts.size(); ++i) rows.push_back({i, texts[i]});
  rows.push_back({texts.size(), std::nullopt});
  const std::vector<std::string> columns = {"id", "text"};
  ASSERT_TRUE(
      database_.transact([&](Transaction& t) { t.copy_in("next.moment", columns, rows); }).ok());
  const auto read = database_.query("SELECT text FROM next.moment ORDER BY id", {}).value();
  ASSERT_EQ(read.size(), texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(read[i].text(0), texts[i]);
  EXPECT_TRUE(read.back().is_null(0));
}

TEST_F(DatabaseTest, AFailedCopyIsAnErrorAndTheConnectionGoesOn) {
  ASSERT_TRUE(run("CREATE TABLE number (n int)").ok());
  const std::vector<std::string> columns = {"n"};
  const std::vector<Params> rows = {{1}, {"one"}};
  const auto failed =
      database_.transact([&](Transaction& t) { t.copy_in("number", columns, rows); });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::InvalidInput) << failed.error().message;
  EXPECT_EQ(one("SELECT count(*) FROM number"), "0");
}

TEST_F(DatabaseTest, SortsErrorsByWhetherTheyPass) {
  ASSERT_TRUE(run("CREATE TABLE item (id int PRIMARY KEY, n int CHECK (n > 0))").ok());
  ASSERT_TRUE(run("INSERT INTO item VALUES (1, 1)").ok());
  const auto error_of = [&](const std::string& sql, const Params& params = {}) {
    const auto status = run(sql, params);
    EXPECT_FALSE(status.ok()) << sql;
    return status.ok() ? core::Error{} : status.error();
  };
  EXPECT_EQ(error_of("INSERT INTO item VALUES (1, 1)").code, ErrorCode::Conflict);
  EXPECT_FALSE(error_of("INSERT INTO item VALUES (1, 1)").retryable);
  EXPECT_EQ(error_of("INSERT INTO item VALUES (2, 0)").code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("SELECT $1::int", {"x"}).code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("SELECT $1::text", {std::string("a\0b", 3)}).code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("SELECT $1::text", {"\xff"}).code, ErrorCode::InvalidInput);
  const std::vector<std::string> awkward = {std::string("a\0b", 3)};
  EXPECT_EQ(error_of("SELECT $1::text[]", {awkward}).code, ErrorCode::InvalidInput);
  EXPECT_EQ(error_of("SELECT nonsense").code, ErrorCode::Internal);
  const auto slow = error_of("SELECT pg_sleep(30)");
  EXPECT_EQ(slow.code, ErrorCode::Unavailable) << slow.message;
  EXPECT_TRUE(slow.retryable);
}

TEST_F(DatabaseTest, ALockedRowIsRetryableAfterTheLockTimeout) {
  ASSERT_TRUE(run("CREATE TABLE item (id int)").ok());
  const auto outer = database_.transact([&](Transaction& holder) {
    holder.execute("LOCK TABLE item");
    const auto waiting = run("INSERT INTO item VALUES (1)");
    ASSERT_FALSE(waiting.ok());
    EXPECT_TRUE(waiting.error().retryable) << waiting.error().message;
  });
  EXPECT_TRUE(outer.ok());
}

TEST_F(DatabaseTest, WhatFailsIsRolledBackEvenIfTheFailureWasSwallowed) {
  ASSERT_TRUE(run("CREATE TABLE item (id int)").ok());
  const auto swallowed = database_.transact([&](Transaction& t) {
    t.execute("INSERT INTO item VALUES (1)");
    EXPECT_THROW(t.execute("SELECT nonsense"), TransactionFailed);
  });
  EXPECT_FALSE(swallowed.ok());
  EXPECT_THROW(static_cast<void>(database_.transact([&](Transaction& t) {
                 t.execute("INSERT INTO item VALUES (2)");
                 throw std::logic_error("of the caller");
               })),
               std::logic_error);
  EXPECT_EQ(one("SELECT count(*) FROM item"), "0");
}

TEST_F(DatabaseTest, ASnapshotSeesOneStateAndCannotWrite) {
  ASSERT_TRUE(run("CREATE TABLE item (id int)").ok());
  const auto seen = database_.read([&](Transaction& t) { return rows_seen_by(t); });
  EXPECT_EQ(seen.value(), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_FALSE(
      database_.snapshot([](Transaction& t) { t.execute("INSERT INTO item VALUES (2)"); }).ok());
}

TEST_F(DatabaseTest, StatementsThatAreReadAloneSeeWhatHasCommittedBeforeEach) {
  ASSERT_TRUE(run("CREATE TABLE item (id int)").ok());
  const auto seen = database_.read_each_alone([&](Transaction& t) { return rows_seen_by(t); });
  EXPECT_EQ(seen.value(), std::pair(std::int64_t{0}, std::int64_t{1}));

  const auto failed =
      database_.read_each_alone([](Transaction& t) { return t.execute("nonsense"); });
  ASSERT_FALSE(failed.ok());
  EXPECT_FALSE(failed.error().retryable) << failed.error().message;
}

TEST_F(DatabaseTest, MoreCallersThanConnectionsWaitOnlySoLong) {
  const auto outer = database_.transact([&](Transaction&) {
    const auto inner = database_.transact([&](Transaction&) {
      const auto third = run("SELECT 1");
      ASSERT_FALSE(third.ok());
      EXPECT_EQ(third.error().code, ErrorCode::Unavailable);
      EXPECT_TRUE(third.error().retryable);
    });
    EXPECT_TRUE(inner.ok());
    EXPECT_TRUE(run("SELECT 1").ok()) << "one is free again";
  });
  EXPECT_TRUE(outer.ok());
}

TEST_F(DatabaseTest, BrokenConnectionsAreReplacedBetweenTransactionsNeverInside) {
  const auto broken = database_.transact([&](Transaction& t) {
    const auto pid = t.execute("SELECT pg_backend_pid()").front().integer(0);
    const auto ended = database_.query("SELECT pg_terminate_backend($1)", {pid});
    ASSERT_TRUE(ended.ok());
    t.execute("SELECT 1");
    FAIL() << "a statement went to another session";
  });
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().retryable);
  EXPECT_TRUE(run("SELECT 1").ok());

  // One that broke while it idled is not even noticed.
  const auto pid = one("SELECT pg_backend_pid()");
  PooledDatabase other(options_);
  ASSERT_TRUE(other.query("SELECT pg_terminate_backend($1)", {pid}).ok());
  EXPECT_TRUE(database_.ping().ok());
  EXPECT_TRUE(run("SELECT 1").ok());
  const auto again = one("SELECT pg_backend_pid()");
  ASSERT_TRUE(other.query("SELECT pg_terminate_backend($1)", {again}).ok());
  EXPECT_TRUE(database_.read_each_alone([](Transaction& t) { return t.execute("SELECT 1"); }).ok());
}

TEST_F(DatabaseTest, SessionsSpeakUtcAndHaveLimits) {
  EXPECT_EQ(one("SHOW TimeZone"), "UTC");
  EXPECT_EQ(one("SHOW statement_timeout"), "1500ms");
  EXPECT_EQ(one("SHOW lock_timeout"), "300ms");
  EXPECT_EQ(one("SHOW idle_in_transaction_session_timeout"), "10s");
  // Of the server: the locks of a client that went away without a word are free after 11 s.
  EXPECT_EQ(one("SHOW tcp_keepalives_idle"), "5");
  EXPECT_EQ(one("SHOW tcp_keepalives_interval"), "2");
  EXPECT_EQ(one("SHOW tcp_keepalives_count"), "3");
  EXPECT_EQ(one("SHOW tcp_user_timeout"), "10000");
}

// Its connections stay open and take what is sent, but no answer comes.
TEST_F(DatabaseTest, AServerThatStandsStillIsGivenUpAfterTheStatementTimeout) {
  constexpr auto kLong = std::chrono::seconds(20);
  auto proxy = std::make_unique<CuttingProxy>(cluster(0).port());
  DatabaseOptions options = options_;
  options.conninfo = with_port(options.conninfo, proxy->port());
  PooledDatabase database(options);
  const auto given_up = [&](const std::string& at, const std::function<core::Status()>& call) {
    proxy->cut_at(at, Cut::HoldBeforeServer);
    auto answer = std::async(call);
    if (answer.wait_for(kLong) == std::future_status::ready) return answer.get();
    ADD_FAILURE() << "it waits without end";
    proxy.reset();
    return answer.get();
  };
  const auto read = given_up("frozen", [&] {
    const auto rows = database.query("SELECT 'frozen'", {});
    return rows ? core::success() : core::Status(rows.error());
  });
  ASSERT_FALSE(read.ok()) << "it asked again, to wait as long";
  EXPECT_EQ(read.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(read.error().message, "PostgreSQL does not answer");
  EXPECT_TRUE(database.ping().ok()) << "on a new connection";

  const auto written = given_up(std::string("COMMIT\0", 7), [&] {  // not BEGIN ... READ COMMITTED
    return database.transact([](Transaction& t) { t.execute("SELECT 1", {}); });
  });
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::Timeout) << "a commit of unknown outcome";
  EXPECT_TRUE(database.ping().ok());
}

TEST(DatabaseAway, IsRetryable) {
  DatabaseOptions options;
  options.conninfo = "host=127.0.0.1 port=1 dbname=nowhere";
  PooledDatabase database(options);
  const auto status = database.ping();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(status.error().retryable);
}

TEST(DatabaseAway, ConninfoThatCannotBeReadIsNot) {
  DatabaseOptions options;
  options.conninfo = "host=127.0.0.1 port";
  const auto status = PooledDatabase(options).ping();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::InvalidInput);
}

}  // namespace
}  // namespace tideline::postgres::testing
