// The law of reposts: in random histories, in any interleaving of logs, a repost shows its original
// to exactly those who may see both. What may be seen is the oracle's to say; what reposts what is
// read off the events.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "../feed_app.hpp"
#include "../oracle.hpp"
#include "../random_histories.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::draw_history;
using testing::FeedApp;
using testing::FeedDatabase;
using testing::History;
using testing::history_count;
using testing::interleaved;
using testing::Oracle;
using testing::seeded_numbers;

class RepostLaw {
 public:
  RepostLaw(FeedDatabase& tables, std::mt19937& numbers)
      : numbers_(numbers), app_(tables.database) {
    tables.empty({"moment", "moment_edit"});
    app_.compares = false;
  }

  // All logs of a history in some interleaving; calls `look` now and then, and at the end.
  template <class Look>
  void deliver(const History& history, const Look& look) {
    for (const auto& event : interleaved(history.events(), numbers_)) {
      take(event);
      if (numbers_() % 100 == 0) look();
    }
    look();
  }

  // Of each moment that he may see and that reposts one: the original, or 0 if it is not for him.
  std::map<std::uint64_t, std::uint64_t> expected(const core::AccountId& viewer) const {
    const auto met = oracle_.met_by(viewer);
    std::map<std::uint64_t, std::uint64_t> shown;
    for (const auto& [repost, original] : reposts_) {
      if (met.contains(repost)) shown[repost] = met.contains(original) ? original : 0;
    }
    return shown;
  }
  std::map<std::uint64_t, std::uint64_t> found(const core::AccountId& viewer) {
    flush();
    std::map<std::uint64_t, std::uint64_t> shown;
    for (const auto& [repost, original] : reposts_) {
      http::Request request;
      request.method = http::Method::Get;
      request.path = "/v1/moments/" + std::to_string(repost);
      request.headers.set("Authorization", "Bearer " + viewer.to_string());
      const auto response = app_.router.dispatch(request);
      if (response.status == 404) continue;
      EXPECT_EQ(response.status, 200) << response.body;
      const Json moment = Json::parse(response.body)["repost"]["moment"];
      shown[repost] = moment.is_null() ? 0 : std::stoull(moment["id"].get<std::string>());
    }
    return shown;
  }

 private:
  void take(const eventsourcing::RecordedEvent& event) {
    Json data = Json::parse(event.data);
    eventsourcing::RecordedEvent readable = event;
    if (event.type == "MomentPublished" || event.type == "MomentEdited") {
      data["content"] = std::string(eventsourcing::kUnsealed) + "a text";
      readable.data = data.dump();
    }
    if (data.contains("repost_of") && data["repost_of"].is_string()) {
      reposts_[std::stoull(data["moment_id"].get<std::string>())] =
          std::stoull(data["repost_of"].get<std::string>());
    }
    app_.engine.apply(readable);
    app_.tables.apply(readable);
    oracle_.deliver(readable);
    reached_.raise(event.source, event.log, event.position);
  }
  void flush() {
    app_.engine_applied.advance(reached_);
    const auto done = app_.database.transact(
        [&](sql::Transaction& transaction) { app_.tables.flush(transaction); });
    EXPECT_TRUE(done.ok()) << done.error().message;
    app_.tables.flushed();
    app_.tables_applied.advance(reached_);
  }

  std::mt19937& numbers_;
  FeedApp app_;
  Oracle oracle_;
  std::map<std::uint64_t, std::uint64_t> reposts_;
  eventsourcing::PositionVector reached_;
};

TEST(RepostLaw, AnOriginalIsShownToWhoMaySeeItNow) {
  const int histories = history_count(60, 20);
  std::mt19937 numbers = seeded_numbers();
  FeedDatabase tables;
  std::size_t shown = 0, missing = 0;
  for (int trial = 0; trial < histories; ++trial) {
    const History history = draw_history(numbers, 600);
    RepostLaw law(tables, numbers);
    law.deliver(history, [&] {
      for (const core::AccountId& viewer : history.people()) {
        const auto expected = law.expected(viewer);
        ASSERT_EQ(law.found(viewer), expected) << "history " << trial;
        for (const auto& [repost, original] : expected) (original == 0 ? missing : shown) += 1;
      }
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(shown, 0U);
  EXPECT_GT(missing, 0U);
}

}  // namespace
}  // namespace tideline::feed
