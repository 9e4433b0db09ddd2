// Effect exactly once: a runner that is killed, or frozen while another takes over, at every point
// between poll and commit.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "child_runner.hpp"
#include "postgres/projections/dead_letters.hpp"

namespace tideline::kafka {
namespace {

using namespace testing;
using projections::RunnerPoint;

struct Point {
  RunnerPoint point;
  const char* name;
  int nth_max;  // it is passed at least so often on the way through one portion of events
};

constexpr std::size_t kPortion = 130;
constexpr std::array kPoints{
    Point{RunnerPoint::Claimed, "Claimed", 1},
    Point{RunnerPoint::Loaded, "Loaded", 1},
    Point{RunnerPoint::Polled, "Polled", 2},
    Point{RunnerPoint::Applied, "Applied", 130},
    Point{RunnerPoint::FlushBegun, "FlushBegun", 3},
    Point{RunnerPoint::CheckpointWritten, "CheckpointWritten", 3},
    Point{RunnerPoint::FlushWritten, "FlushWritten", 3},
    Point{RunnerPoint::Committed, "Committed", 2},
};

std::uint32_t seed() {
  const char* given = std::getenv("TIDELINE_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
                                     : std::random_device{}();
  std::fprintf(stderr, "TIDELINE_TEST_SEED=%u\n", seed);
  return seed;
}

bool was_killed(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }
bool ended_well(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

// Runs without faults up to the end.
void finish(CountedService& service, const ChildOptions& options = {}) {
  ChildRunner last(service, options);
  last.tell_goal(service.positions);
  const int status = last.wait();
  EXPECT_TRUE(ended_well(status)) << "wait status " << status
                                  << "; 1024: its memory is not what the table holds";
}

TEST(RunnerFaults, KilledAtEveryPointItsEffectIsExactlyOnce) {
  std::mt19937 random(seed());
  CountedService service;
  RunningRelay relay(service);
  for (int round = 0; round < 3; ++round) {
    auto points = kPoints;
    std::shuffle(points.begin(), points.end(), random);
    for (const Point& point : points) {
      service.append(kPortion);
      // So that polls and flushes come in their number.
      ASSERT_TRUE(relay.has_published(service.positions, service.name));
      const int nth = std::uniform_int_distribution(1, point.nth_max)(random);
      SCOPED_TRACE(std::string(point.name) + " for the " + std::to_string(nth) + "th time");
      ChildRunner child(service, {.point = point.point, .nth = nth, .signal = SIGKILL});
      child.tell_goal(service.positions);
      ASSERT_TRUE(was_killed(child.wait())) << "it did not come to that point";
    }
  }
  finish(service);
  EXPECT_EQ(service.totals(), service.expected());
}

TEST(RunnerFaults, KilledWhileParkedEventsAreAppliedAgainTheirEffectIsExactlyOnce) {
  constexpr std::array kReplayPoints{
      Point{RunnerPoint::Replayed, "Replayed", 60},
      Point{RunnerPoint::FlushBegun, "FlushBegun", 1},
      Point{RunnerPoint::CheckpointWritten, "CheckpointWritten", 1},
      Point{RunnerPoint::FlushWritten, "FlushWritten", 1},
      Point{RunnerPoint::Committed, "Committed", 1},
  };
  std::mt19937 random(seed());
  CountedService service;
  RunningRelay relay(service);
  const auto letters = [&] {
    const auto found = postgres::list_dead_letters(service.database, "counted");
    EXPECT_TRUE(found.ok());
    return found.ok() ? found->size() : 0;
  };
  for (const Point& point : kReplayPoints) {
    service.append(kPortion);
    finish(service, {.poison_every = 10});
    const std::size_t parked = letters();
    ASSERT_GE(parked, 60U);
    const auto marked = postgres::replay_dead_letters(service.database, "counted");
    ASSERT_TRUE(marked.ok());
    ASSERT_EQ(*marked, parked);
    service.append(kPortion);
    const int nth = std::uniform_int_distribution(1, point.nth_max)(random);
    SCOPED_TRACE(std::string(point.name) + " for the " + std::to_string(nth) + "th time");
    ChildRunner child(service, {.point = point.point, .nth = nth, .signal = SIGKILL});
    child.tell_goal(service.positions);
    ASSERT_TRUE(was_killed(child.wait())) << "it did not come to that point";
    finish(service);
    EXPECT_EQ(letters(), 0U);
    EXPECT_EQ(service.totals(), service.expected());
  }
}

class FrozenRunner : public ::testing::TestWithParam<Point> {};

TEST_P(FrozenRunner, WritesNothingWhenItWakesAfterAnotherHasTakenOver) {
  CountedService service;
  RunningRelay relay(service);
  service.append(kPortion);
  ASSERT_TRUE(relay.has_published(service.positions, service.name));
  ChildRunner frozen(service, {.point = GetParam().point, .nth = 1, .signal = SIGSTOP});
  ASSERT_TRUE(WIFSTOPPED(frozen.wait()));
  service.append(kPortion);
  finish(service);
  const auto done = service.expected();
  EXPECT_EQ(service.totals(), done);
  // It goes on from where it stood, with all that it holds in memory.
  frozen.send(SIGCONT);
  frozen.tell_goal(service.positions);
  const int status = frozen.wait();
  EXPECT_TRUE(ended_well(status)) << "wait status " << status;
  EXPECT_EQ(service.totals(), done) << "it has written what the other had written";
}

INSTANTIATE_TEST_SUITE_P(AtEachPoint, FrozenRunner,
                         ::testing::Values(Point{RunnerPoint::Claimed, "Claimed", 1},
                                           Point{RunnerPoint::Applied, "Applied", 1},
                                           Point{RunnerPoint::FlushBegun, "FlushBegun", 1},
                                           Point{RunnerPoint::CheckpointWritten,
                                                 "CheckpointWritten", 1},
                                           Point{RunnerPoint::FlushWritten, "FlushWritten", 1}),
                         [](const auto& point) { return point.param.name; });

}  // namespace
}  // namespace tideline::kafka
