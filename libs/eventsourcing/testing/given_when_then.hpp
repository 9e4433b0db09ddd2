// Specifications of deciders:
//
//   given<Vote>(VoteCast{...}).when(WithdrawVote{...}).then(VoteWithdrawn{...});
//   given<Vote>().when(WithdrawVote{...}).then_rejected("no-vote");
//   given<Vote>(VoteCast{...}).when(CastVote{...}).then_nothing();
//
// Events and commands need operator== (defaulted); failures print which step differed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/commands/decider.hpp"

namespace tideline::eventsourcing::testing {

template <Decider D>
class When {
 public:
  explicit When(Decision<typename D::Event> decision) : decision_(std::move(decision)) {}

  template <class... Events>
  void then(Events... expected) const {
    if (decision_.rejected()) {
      ADD_FAILURE() << "rejected instead: " << decision_.rejection().code << " ("
                    << decision_.rejection().detail << ")";
      return;
    }
    const std::vector<typename D::Event> wanted{typename D::Event(std::move(expected))...};
    EXPECT_EQ(decision_.events().size(), wanted.size()) << "another number of events";
    EXPECT_TRUE(decision_.events() == wanted) << "other events than expected";
  }
  void then_nothing() const { then(); }
  void then_rejected(const std::string& code) const {
    if (!decision_.rejected()) {
      ADD_FAILURE() << "accepted with " << decision_.events().size() << " events, not " << code;
      return;
    }
    EXPECT_EQ(decision_.rejection().code, code);
  }

 private:
  Decision<typename D::Event> decision_;
};

template <Decider D>
class Given {
 public:
  explicit Given(typename D::State state) : state_(std::move(state)) {}
  When<D> when(typename D::Command command) const { return When<D>(D::decide(state_, command)); }

 private:
  typename D::State state_;
};

template <Decider D, class... Events>
Given<D> given(Events... events) {
  typename D::State state{};
  ((state = D::evolve(std::move(state), typename D::Event(std::move(events)))), ...);
  return Given<D>(std::move(state));
}

}  // namespace tideline::eventsourcing::testing
