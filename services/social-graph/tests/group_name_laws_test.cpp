// The names of a creator's groups are unique, whatever commands run and however they interleave:
// other commands run between what a command has read and its append. Checked against the names
// alone, read from the groups' own streams; no claim is looked at.
// rapidcheck prints the seed of a failure; RC_PARAMS="seed=..." runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <set>

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/forwarding_event_store.hpp"
#include "social-graph/api/group_commands.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"
#include "social-graph/tests/command_world.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

namespace es = eventsourcing;
using core::AccountId;

const std::vector<AccountId> kPeople{kAda, kBob};
const std::vector<std::string> kNames{"chess", "Chess", "poker", "go"};
constexpr std::size_t kGroups = 5;

std::string id_of(std::size_t group) { return "0123456789abcdef"[group] + std::string(25, '0'); }

struct Step {
  int kind;
  std::size_t group;
  AccountId me;
  std::string name;
  bool interrupts;  // runs between the reads and the append of the step before it
};

rc::Gen<std::vector<Step>> any_steps() {
  return rc::gen::container<std::vector<Step>>(
      rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 6), rc::gen::inRange<std::size_t>(0, kGroups),
                                  rc::gen::elementOf(kPeople), rc::gen::elementOf(kNames),
                                  rc::gen::arbitrary<bool>()),
                   [](const auto& parts) {
                     return Step{std::get<0>(parts), std::get<1>(parts), std::get<2>(parts),
                                 std::get<3>(parts), std::get<4>(parts)};
                   }));
}

// Before each append the steps that are next and interrupt run whole, each of which may be
// interrupted itself.
class InterruptedStore final : public es::ForwardingEventStore {
 public:
  InterruptedStore(World& world, const std::vector<Step>& steps)
      : ForwardingEventStore(world.store), world_(world), left_(steps.begin(), steps.end()) {}

  void run_all() {
    while (!left_.empty()) run_next();
  }
  core::Result<es::AppendOutcome> do_append(es::Append append) override {
    if (!left_.empty() && left_.front().interrupts) {
      ++interrupted;
      run_next();
    }
    return ForwardingEventStore::do_append(std::move(append));
  }
  // What became of the steps that were not turned away.
  int done = 0;
  int interrupted = 0;

 private:
  void run_next() {
    const Step step = left_.front();
    left_.pop_front();
    const GroupCommands commands(world_.cipher, {10, 10, {}});
    const auto outcome = world_.run_in(*this, [&](es::CommandSession& session) {
      take(session, commands, step);
      return es::CommandResult(es::Answer{});
    });
    if (accepted(outcome)) ++done;
  }
  static void take(es::CommandSession& session, const GroupCommands& commands, const Step& step) {
    const std::string group = id_of(step.group);
    const AccountId other = step.me == kAda ? kBob : kAda;
    const auto held = session.load<Group>(keys::group(group), es::EventCodec<Group>{});
    switch (step.kind) {
      case 0:
      case 1:
        if (!held.state.creator) {
          commands.create(session, {group, step.me, step.name, false, {}, {}});
        } else {
          commands.rename(session, group, step.name, step.me);
        }
        return;
      case 2:
        commands.rename(session, group, step.name, step.me);
        return;
      case 3:
        commands.join(session, group, step.me);
        return;
      case 4:
        commands.hand_over(session, group, other, step.me);
        return;
      default:
        commands.dissolve(session, group, step.me);
    }
  }

  World& world_;
  std::deque<Step> left_;
};

std::string folded(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// Creator -> the names of his groups, as anybody reads them.
std::map<AccountId, std::multiset<std::string>> names_of_all(World& world) {
  std::map<AccountId, std::multiset<std::string>> names;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const auto state =
        world.state_of<Group>(keys::group(id_of(group)), es::EventCodec<Group>(world.cipher));
    if (state.creator && !state.dissolved) names[*state.creator].insert(folded(state.name));
  }
  return names;
}

RC_GTEST_PROP(GroupNameLaws, NoTwoGroupsOfACreatorHaveOneName, ()) {
  World world;
  InterruptedStore store(world, *any_steps());
  store.run_all();
  for (const auto& [creator, names] : names_of_all(world)) {
    RC_ASSERT(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    // Counts are moved in the same appends.
    const auto count =
        world.state_of<GroupCount>(keys::group_count(creator), es::EventCodec<GroupCount>{});
    RC_ASSERT(count.count == std::ssize(names));
  }
  RC_TAG(store.done > 3 && store.interrupted > 0 ? "interleaved" : "short");
}

// And no name stays taken that no group has: what anybody's groups do not hold can be had.
RC_GTEST_PROP(GroupNameLaws, EveryOtherNameIsFree, ()) {
  World world;
  InterruptedStore store(world, *any_steps());
  store.run_all();
  const auto names = names_of_all(world);
  const GroupCommands commands(world.cipher, {10, 10, {}});
  std::size_t next = kGroups;
  for (const AccountId& creator : kPeople) {
    for (const std::string name : {"chess", "poker", "go"}) {
      const auto outcome = world.run([&](es::CommandSession& session) -> es::CommandResult {
        commands.create(session, {id_of(next++), creator, name, false, {}, {}});
        return es::Answer{};
      });
      const bool taken = names.contains(creator) && names.at(creator).contains(name);
      RC_ASSERT(accepted(outcome) == !taken);
    }
  }
}

}  // namespace
}  // namespace tideline::social_graph
