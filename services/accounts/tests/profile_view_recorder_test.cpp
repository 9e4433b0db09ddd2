#include "accounts/api/profile_view_recorder.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "accounts_app.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"

namespace tideline::accounts::testing {
namespace {

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
constexpr core::AccountId kBob(core::AccountId::Bytes{2});
constexpr std::chrono::seconds kDeadline{10};

ProfileViewRecorder::Visit visit(core::AccountId viewer, core::AccountId owner, const char* day) {
  return {{viewer, owner, *core::parse_day(day)}, kNoon, {}};
}

// Refuses the first appends, as a database that is away does.
class FailingStore final : public eventsourcing::ForwardingEventStore {
 public:
  FailingStore(eventsourcing::EventStore& store, int failures)
      : ForwardingEventStore(store), failures_(failures) {}
  core::Result<eventsourcing::AppendOutcome> do_append(eventsourcing::Append append) override {
    if (failures_-- > 0) return core::unavailable("away");
    return ForwardingEventStore::do_append(std::move(append));
  }

 private:
  std::atomic<int> failures_;
};

TEST(ProfileViewRecorder, RecordsOncePerViewerOwnerAndDay) {
  AccountsApp app;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&](const std::stop_token& stop) { app.views.run(stop); });
  }
  for (int i = 0; i < 3; ++i) app.views.offer(visit(kAda, kBob, "2026-05-01"));
  app.views.offer(visit(kBob, kAda, "2026-05-01"));
  app.views.offer(visit(kAda, kBob, "2026-05-02"));
  app.views.offer(visit(kAda, kAda, "2026-05-01"));
  EXPECT_TRUE(app.views.wait_until_idle(kDeadline));
  EXPECT_EQ(app.count("ProfileViewed"), 3u);
  EXPECT_EQ(app.views.dropped(), 0u);
}

TEST(ProfileViewRecorder, DropsWhatItCannotHold) {
  AccountsApp app;
  ProfileViewRecorder recorder(app.store, 2);
  for (int day = 1; day <= 5; ++day) {
    recorder.offer(visit(kAda, kBob, ("2026-05-0" + std::to_string(day)).c_str()));
  }
  EXPECT_EQ(recorder.queued(), 2u);
  EXPECT_EQ(recorder.dropped(), 3u);
}

TEST(ProfileViewRecorder, RecordsWhatIsQueuedWhenItStops) {
  AccountsApp app;
  for (int day = 1; day <= 9; ++day) {
    app.views.offer(visit(kAda, kBob, ("2026-05-0" + std::to_string(day)).c_str()));
  }
  std::stop_source stop;
  stop.request_stop();
  app.views.run(stop.get_token());
  EXPECT_EQ(app.count("ProfileViewed"), 9u);
}

TEST(ProfileViewRecorder, TriesAgainAndGivesUpInTheEnd) {
  AccountsApp app;
  FailingStore away_for_a_while(app.store, 2);
  ProfileViewRecorder patient(away_for_a_while, 2);
  FailingStore away(app.store, 1'000'000);
  ProfileViewRecorder disappointed(away, 2);
  const std::jthread one([&](const std::stop_token& stop) { patient.run(stop); });
  const std::jthread two([&](const std::stop_token& stop) { disappointed.run(stop); });
  patient.offer(visit(kAda, kBob, "2026-05-01"));
  disappointed.offer(visit(kAda, kBob, "2026-05-02"));
  EXPECT_TRUE(patient.wait_until_idle(kDeadline));
  EXPECT_TRUE(disappointed.wait_until_idle(kDeadline));
  EXPECT_EQ(app.count("ProfileViewed"), 1u);
  EXPECT_EQ(patient.dropped(), 0u);
  EXPECT_EQ(disappointed.dropped(), 1u);
}

}  // namespace
}  // namespace tideline::accounts::testing
