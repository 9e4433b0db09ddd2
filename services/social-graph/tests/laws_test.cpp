// Laws that hold after any sequence of commands, checked against a plain model: sets of pairs.
// rapidcheck prints the seed of a failure; RC_PARAMS="seed=..." runs it again.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/api/contact_commands.hpp"
#include "social-graph/api/group_commands.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"
#include "social-graph/tests/command_world.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

namespace es = eventsourcing;
using core::AccountId;

constexpr int kPeople = 5;
constexpr std::int64_t kLimit = 2;  // low enough that random histories run into it

const std::vector<AccountId>& everybody() {
  static const std::vector<AccountId> all = [] {
    std::vector<AccountId> accounts;
    for (int i = 1; i <= kPeople; ++i)
      accounts.push_back(account_with(static_cast<std::uint8_t>(i)));
    return accounts;
  }();
  return all;
}

struct Step {
  int kind;
  AccountId me;
  AccountId other;
};

// The first kinds come more often: they are those that make something.
rc::Gen<std::vector<Step>> any_steps(int kinds) {
  const auto person = rc::gen::elementOf(everybody());
  const auto kind = rc::gen::oneOf(rc::gen::inRange(0, 2), rc::gen::inRange(0, kinds));
  return rc::gen::container<std::vector<Step>>(rc::gen::map(
      rc::gen::suchThat(rc::gen::tuple(kind, person, person),
                        [](const auto& parts) { return std::get<1>(parts) != std::get<2>(parts); }),
      [](const auto& parts) {
        return Step{std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)};
      }));
}

class ContactModel {
 public:
  // What must come of the step: true = it is accepted.
  bool take(const Step& step) {
    const Pair pair{std::min(step.me, step.other), std::max(step.me, step.other)};
    const bool contacts = contacts_.contains(pair);
    const bool incoming = requests_.contains({step.other, step.me});
    const bool outgoing = requests_.contains({step.me, step.other});
    switch (step.kind) {
      case 0:  // request
        if (contacts || outgoing) return true;
        if (incoming) return befriend(pair);
        requests_.insert({step.me, step.other});
        last_end_.erase(pair);
        return true;
      case 1:  // accept
        if (contacts) return true;
        return incoming && befriend(pair);
      case 2:  // decline
        return end({step.other, step.me}, pair, 2);
      case 3:  // withdraw
        return end({step.me, step.other}, pair, 3);
      default:  // remove
        if (contacts) {
          contacts_.erase(pair);
          last_end_[pair] = {4, {}};
          return true;
        }
        return last_end_.contains(pair) && last_end_[pair].first == 4;
    }
  }

  std::int64_t count(const AccountId& account) const {
    return std::count_if(contacts_.begin(), contacts_.end(), [&](const auto& pair) {
      return pair.first == account || pair.second == account;
    });
  }
  bool are_contacts(const AccountId& one, const AccountId& other) const {
    return contacts_.contains({std::min(one, other), std::max(one, other)});
  }

 private:
  using Pair = std::pair<AccountId, AccountId>;

  bool befriend(const Pair& pair) {
    if (count(pair.first) >= kLimit || count(pair.second) >= kLimit) return false;
    requests_.erase({pair.first, pair.second});
    requests_.erase({pair.second, pair.first});
    contacts_.insert(pair);
    last_end_.erase(pair);
    return true;
  }
  bool end(const Pair& request, const Pair& pair, int kind) {
    if (requests_.erase(request) > 0) {
      last_end_[pair] = {kind, request};
      return true;
    }
    const auto last = last_end_.find(pair);
    return last != last_end_.end() && last->second == std::pair{kind, request};
  }

  std::set<Pair> contacts_;
  std::set<Pair> requests_;                        // from, to
  std::map<Pair, std::pair<int, Pair>> last_end_;  // how a pair came to be strangers again
};

ContactPair::Command command_of(const Step& step) {
  switch (step.kind) {
    case 0:
      return RequestContact{step.me, step.other};
    case 1:
      return AcceptContact{step.me, step.other};
    case 2:
      return DeclineContact{step.me, step.other};
    case 3:
      return WithdrawContactRequest{step.me, step.other};
    default:
      return RemoveContact{step.me, step.other};
  }
}

es::CommandOutcome take(World& world, const Step& step) {
  return world.run([&](es::CommandSession& session) -> es::CommandResult {
    change_pair(session, step.me, step.other, command_of(step), kLimit);
    return es::Answer{};
  });
}

RC_GTEST_PROP(ContactLaws, CommandsDoWhatThePlainModelDoes, ()) {
  World world;
  ContactModel model;
  for (const Step& step : *any_steps(5)) {
    RC_ASSERT(accepted(take(world, step)) == model.take(step));
    for (const AccountId& account : everybody()) {
      const auto count = world
                             .state_of<ContactCount>(keys::contact_count(account),
                                                     eventsourcing::EventCodec<ContactCount>{})
                             .count;
      RC_ASSERT(count == model.count(account));
      RC_ASSERT(count <= kLimit);
    }
  }
  for (const AccountId& one : everybody()) {
    for (const AccountId& other : everybody()) {
      if (one == other) continue;
      const auto pair = world.state_of<ContactPair>(keys::contact(one, other),
                                                    eventsourcing::EventCodec<ContactPair>{});
      RC_ASSERT((pair.phase == ContactPair::Phase::Contacts) == model.are_contacts(one, other));
    }
  }
}

RC_GTEST_PROP(ContactLaws, ARepeatedCommandYieldsNoEvent, ()) {
  World world;
  for (const Step& step : *any_steps(5)) {
    const bool first = accepted(take(world, step));
    const std::uint64_t events = world.events();
    const bool again = accepted(take(world, step));
    RC_ASSERT(again == first);
    RC_ASSERT(world.events() == events);
  }
}

RC_GTEST_PROP(ContactLaws, EveryPairIsAcceptedForTheFirstTimeOnce, ()) {
  World world;
  for (const Step& step : *any_steps(5)) (void)take(world, step);
  std::map<core::StreamId, int> acceptances;
  for (std::uint32_t log = 0; log < world.store.logs(); ++log) {
    const auto events = world.store.read_log(core::LogIndex(log), core::LogPosition(0), 100'000);
    for (const auto& event : *events) {
      if (event.type != "ContactAccepted") continue;
      const auto read = eventsourcing::EventCodec<ContactPair>{}.decode(event);
      RC_ASSERT(std::get<ContactAccepted>(*read).first == (acceptances[event.stream]++ == 0));
    }
  }
}

TEST(ContactLimit, IsExactForManyAtOnce) {
  World world;
  const AccountId hub = account_with(200);
  constexpr int kAskers = 12;
  for (std::uint8_t i = 1; i <= kAskers; ++i) {
    ASSERT_TRUE(accepted(take(world, {0, hub, account_with(i)})));
  }
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (std::uint8_t i = 1; i <= kAskers; ++i) {
    threads.emplace_back([&, i] {
      const auto outcome = take(world, {1, account_with(i), hub});
      if (accepted(outcome)) ++done;
      const auto* rejection = std::get_if<es::Rejection>(&outcome);
      if (rejection != nullptr && rejection->code == "their-contact-limit-reached") ++refused;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, kLimit);
  EXPECT_EQ(refused, kAskers - kLimit);
  EXPECT_EQ(world
                .state_of<ContactCount>(keys::contact_count(hub),
                                        eventsourcing::EventCodec<ContactCount>{})
                .count,
            kLimit);
}

// Groups: step kinds 0 join, 1 leave, 2 invite; everybody acts on one group of the first person.
es::CommandOutcome take_in_group(World& world, const GroupCommands& commands, const Step& step) {
  return world.run([&](es::CommandSession& session) -> es::CommandResult {
    if (step.kind == 0) {
      commands.join(session, kGroupId, step.me);
    } else if (step.kind == 1) {
      commands.leave(session, kGroupId, step.me);
    } else {
      commands.invite(session, kGroupId, step.other, step.me);
    }
    return es::Answer{};
  });
}

RC_GTEST_PROP(GroupLaws, TheCountIsTheNumberOfMembersAndNeverAboveTheLimit, (bool is_private)) {
  World world;
  const GroupCommands commands(world.cipher, {kLimit, kLimit, std::chrono::days(30)});
  const AccountId creator = everybody().front();
  const auto created = world.run([&](es::CommandSession& session) -> es::CommandResult {
    commands.create(session, {kGroupId, creator, "chess", is_private, {}, {}});
    return es::Answer{};
  });
  RC_ASSERT(accepted(created));

  std::set<AccountId> members{creator};
  std::set<AccountId> invited;
  std::set<AccountId> left;
  for (const Step& step : *any_steps(3)) {
    const bool is_member = members.contains(step.me);
    bool expected = false;
    if (step.kind == 0) {
      const bool open = !is_private || invited.contains(step.me);
      expected = is_member || (open && std::ssize(members) < kLimit);
      if (expected) {
        members.insert(step.me);
        invited.erase(step.me);
        left.erase(step.me);
      }
    } else if (step.kind == 1) {
      expected = step.me != creator && (is_member || left.contains(step.me));
      if (expected && members.erase(step.me) > 0) left.insert(step.me);
    } else {
      expected = is_member;
      if (expected && !members.contains(step.other)) {
        invited.insert(step.other);
        left.erase(step.other);
      }
    }
    RC_ASSERT(accepted(take_in_group(world, commands, step)) == expected);
    const std::uint64_t events = world.events();
    RC_ASSERT(accepted(take_in_group(world, commands, step)) == expected);
    RC_ASSERT(world.events() == events);

    const auto count = world
                           .state_of<MemberCount>(keys::member_count(kGroupId),
                                                  eventsourcing::EventCodec<MemberCount>{})
                           .count;
    RC_ASSERT(count == std::ssize(members));
    for (const AccountId& account : everybody()) {
      const auto member = world.state_of<Membership>(keys::member(kGroupId, account),
                                                     eventsourcing::EventCodec<Membership>{});
      RC_ASSERT(member.is_member() == members.contains(account));
    }
  }
}

}  // namespace
}  // namespace tideline::social_graph
