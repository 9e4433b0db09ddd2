// The law of compaction, by property: after any commands, on a stream that has `begun`, a decider
// decides on the events that its rule keeps as on all of them.
//
//   TEST(FollowLaws, CompactionKeepsDecisions) {
//     expect_compaction_keeps_decisions<Follow>({FollowPerson{...}, UnfollowPerson{...}});
//   }
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <utility>
#include <variant>
#include <vector>

#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/events/stored.hpp"

namespace tideline::eventsourcing::testing {

template <class D>
RecordedEvent as_recorded(const typename D::Event& event, core::StreamVersion version) {
  RecordedEvent recorded;
  recorded.version = version;
  std::visit(
      [&](const auto& fact) {
        using Form = Stored<std::decay_t<decltype(fact)>>;
        recorded.type = Form::kType;
        recorded.schema_version = core::SchemaVersion(Form::kSchemaVersion);
      },
      event);
  return recorded;
}

template <class D>
bool decides_alike(const typename D::State& one, const typename D::State& other,
                   const typename D::Command& command) {
  const auto first = D::decide(one, command);
  const auto second = D::decide(other, command);
  if (first.rejected() != second.rejected()) return false;
  return first.rejected() ? first.rejection() == second.rejection()
                          : first.events() == second.events();
}

template <Decider D>
requires Compacted<D>
void expect_compaction_keeps_decisions(const std::vector<typename D::Command>& commands,
                                       const std::vector<typename D::Event>& begun = {}) {
  const bool holds = rc::check([&] {
    const auto history = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, commands.size()));
    std::vector<typename D::Event> events;
    CompactedEvents compacted(D::kCompaction);
    typename D::State of_all{};
    const auto happens = [&](const typename D::Event& event) {
      events.push_back(event);
      compacted.add(as_recorded<D>(event, core::StreamVersion(events.size())));
      of_all = D::evolve(std::move(of_all), event);
    };
    for (const auto& event : begun) happens(event);
    for (const std::size_t next : history) {
      const auto decision = D::decide(of_all, commands[next]);
      if (decision.rejected()) continue;
      for (const auto& event : decision.events()) happens(event);
    }
    typename D::State of_kept{};
    for (const RecordedEvent& kept : compacted.kept()) {
      of_kept = D::evolve(std::move(of_kept), events[kept.version.value() - 1]);
    }
    for (const auto& command : commands) {
      RC_ASSERT(decides_alike<D>(of_all, of_kept, command));
    }
    RC_ASSERT(compacted.kept().size() <= std::variant_size_v<typename D::Event>);
  });
  EXPECT_TRUE(holds);
}

}  // namespace tideline::eventsourcing::testing
