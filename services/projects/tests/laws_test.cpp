// Laws of projects, held to a plain model under random commands. rapidcheck prints the seed of a
// failure and shrinks it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <latch>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "campus.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/removal.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/stored_events.hpp"

namespace tideline::projects {
namespace {

const core::AccountId kAuthor({9});
const std::string kId(26, '0');

core::AccountId person(int number) { return core::AccountId({static_cast<std::uint8_t>(number)}); }

// Well formed, and another one for each number from 0 to 899.
std::string advice_id(int number) {
  return std::string(22, '0') + std::to_string(100 + number) + "0";
}

bool done(const eventsourcing::CommandOutcome& outcome) {
  return std::holds_alternative<eventsourcing::CommandDone>(outcome);
}

// Folds a ballot box out of the store, as the routes do before they decide on a vote.
Voting::State voting_state(Campus& campus) {
  Voting::State state = Voting::State::NotOpened;
  const auto events = campus.store.read_stream(keys::voting(kId), core::StreamVersion(0), 100);
  for (const auto& event : *events)
    state = Voting::evolve(state, *eventsourcing::EventCodec<Voting>{}.decode(event));
  return state;
}

RC_GTEST_PROP(VotingLaw, TheTallyIsTheNumberOfThoseWhoVotedAndDidNotWithdraw, ()) {
  Campus campus;
  std::set<int> standing;
  std::set<int> ever;
  bool opened = false;
  bool closed = false;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(1, 6)));
  for (const auto& [what, who] : steps) {
    const auto vote = keys::vote(kId, person(who));
    if (what == 0) {
      const bool accepted =
          done(campus.run<Voting>(keys::voting(kId), eventsourcing::EventCodec<Voting>{},
                                  OpenVoting{kId, kAuthor, kAuthor}));
      RC_ASSERT(accepted == !closed);
      opened = opened || accepted;
    } else if (what == 1) {
      const bool accepted =
          done(campus.run<Voting>(keys::voting(kId), eventsourcing::EventCodec<Voting>{},
                                  CloseVoting{kId, kAuthor, kAuthor}));
      RC_ASSERT(accepted == opened);
      closed = closed || accepted;
    } else if (what < 8) {
      const bool accepted =
          done(campus.run<Vote>(vote, eventsourcing::EventCodec<Vote>{},
                                CastVote{kId, kAuthor, person(who), voting_state(campus)}));
      RC_ASSERT(accepted == (opened && !closed));
      if (accepted) standing.insert(who), ever.insert(who);
    } else {
      const bool accepted =
          done(campus.run<Vote>(vote, eventsourcing::EventCodec<Vote>{},
                                WithdrawVote{kId, kAuthor, person(who), voting_state(campus)}));
      RC_ASSERT(accepted == (opened && !closed));
      if (accepted) standing.erase(who);
    }
  }
  std::int64_t tally = 0;
  std::set<core::AccountId> first_marks;
  for (const auto& recorded : campus.events()) {
    const auto event = eventsourcing::EventCodec<Vote>{}.decode(recorded);
    if (!event) continue;
    if (const auto* cast = std::get_if<VoteCast>(&*event)) {
      ++tally;
      if (cast->first) RC_ASSERT(first_marks.insert(cast->voter).second);
    } else {
      --tally;
    }
  }
  RC_ASSERT(tally == static_cast<std::int64_t>(standing.size()));
  RC_ASSERT(first_marks.size() == ever.size());
}

RC_GTEST_PROP(CommentsLaw, IdsCountFromOneWithoutGapsAndParentsExist, ()) {
  Campus campus;
  const eventsourcing::EventCodec<Comments> codec(campus.cipher);
  const auto parents =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-1, 8));
  std::int64_t written = 0;
  for (const std::int64_t parent : parents) {
    const bool accepted = done(campus.run<Comments>(
        keys::comments(kId), codec, AddComment{kId, kAuthor, parent, false, person(1), "text"}));
    RC_ASSERT(accepted == (parent >= 0 && parent <= written));
    if (accepted) ++written;
  }
  std::int64_t expected = 0;
  for (const auto& recorded : campus.events()) {
    const auto comment = std::get<CommentAdded>(*codec.decode(recorded));
    RC_ASSERT(comment.comment_id == ++expected);
    RC_ASSERT(comment.parent_id < comment.comment_id);
  }
  RC_ASSERT(expected == written);
}

// Who removes what in any order: the writer and the project's author, each comment once, and no
// comment changes its number for it.
RC_GTEST_PROP(RemovalLaw, ACommentIsRemovedOnceByTheRightPersonAndNumbersStay, ()) {
  Campus campus;
  const eventsourcing::EventCodec<Comments> codec(campus.cipher);
  const eventsourcing::EventCodec<Removal> removals;
  std::vector<CommentAdded> written;
  std::map<std::int64_t, core::AccountId> removed_by;
  const auto steps = *rc::gen::container<std::vector<std::tuple<bool, int, int>>>(
      rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::inRange(1, 8), rc::gen::inRange(1, 4)));
  for (const auto& [writes, number, who] : steps) {
    const bool known = number <= static_cast<int>(written.size());
    const bool removed = removed_by.contains(number);
    if (writes) {
      const std::int64_t parent = known ? number : 0;
      const bool accepted = done(
          campus.run<Comments>(keys::comments(kId), codec,
                               AddComment{kId, kAuthor, parent, removed, person(who), "text"}));
      RC_ASSERT(accepted == !removed);
      if (!accepted) continue;
      const auto count = static_cast<std::int64_t>(written.size()) + 1;
      written.push_back({kId, kAuthor, count, parent, person(who), "text"});
    } else if (known) {
      const CommentAdded& comment = written[static_cast<std::size_t>(number - 1)];
      const auto by = who == 3 ? kAuthor : person(who);
      const bool accepted = done(campus.run<Removal>(
          keys::removal(kId, number), removals, RemoveComment{comment, campus.clock.now(), by}));
      RC_ASSERT(accepted == (by == comment.author || by == kAuthor));
      if (accepted) removed_by.emplace(number, by);
    }
  }
  // As the route finds who wrote one: by the version of its event.
  for (const CommentAdded& comment : written) {
    const auto behind = core::StreamVersion(static_cast<std::uint64_t>(comment.comment_id - 1));
    const auto event = campus.store.read_stream(keys::comments(kId), behind, 1);
    RC_ASSERT(std::get<CommentAdded>(*codec.decode(event->front())) == comment);
  }
  for (const auto& recorded : campus.events()) {
    if (recorded.type != "CommentRemoved") continue;
    const auto fact = std::get<CommentRemoved>(*removals.decode(recorded));
    const auto expected = removed_by.find(fact.comment_id);
    RC_ASSERT(expected != removed_by.end() && expected->second == fact.by);
    removed_by.erase(expected);
  }
  RC_ASSERT(removed_by.empty());
}

TEST(RemovalRace, WriterAndAuthorAtOnceComeToOneRemoval) {
  Campus campus;
  for (int round = 1; round <= 100; ++round) {
    const CommentAdded comment{kId, kAuthor, round, 0, person(1), "text"};
    const auto stream = keys::removal(kId, round);
    {
      std::latch both(2);
      const auto remove = [&](const core::AccountId& by) {
        both.arrive_and_wait();
        EXPECT_TRUE(done(campus.run<Removal>(stream, eventsourcing::EventCodec<Removal>{},
                                             RemoveComment{comment, campus.clock.now(), by})));
      };
      const std::jthread author([&] { remove(kAuthor); });
      const std::jthread writer([&] { remove(person(1)); });
    }
    EXPECT_EQ(campus.store.read_stream(stream, core::StreamVersion(0), 10)->size(), 1U);
  }
}

// What people do to advice in any order: nobody but the author adopts, nobody but the adviser
// withdraws, and of both only one ever happens to a piece of advice, once.
RC_GTEST_PROP(AdviceLaw, APieceOfAdviceIsAdoptedOnceOrWithdrawnOnceByTheRightPerson, ()) {
  enum class Plain { Nothing, Given, Adopted, Withdrawn };
  Campus campus;
  const eventsourcing::EventCodec<Advice> codec(campus.cipher);
  std::map<int, Plain> plain;
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, bool>>>(
      rc::gen::tuple(rc::gen::inRange(0, 3), rc::gen::inRange(0, 3), rc::gen::arbitrary<bool>()));
  for (const auto& [what, which, rightly] : steps) {
    const AdviceIdentity advice{kId, kAuthor, advice_id(which), person(1)};
    const auto stream = keys::advice(kId, advice.advice_id);
    Plain& now = plain[which];
    if (what == 0) {
      if (now != Plain::Nothing) continue;
      AdviceIdentity given = advice;
      if (!rightly) given.adviser = kAuthor;
      RC_ASSERT(done(campus.run<Advice>(stream, codec, GiveAdvice{given, "text"})) == rightly);
      if (rightly) now = Plain::Given;
    } else if (what == 1) {
      const auto by = rightly ? kAuthor : person(1);
      const bool accepted = done(campus.run<Advice>(stream, codec, AdoptAdvice{by}));
      RC_ASSERT(accepted == (rightly && (now == Plain::Given || now == Plain::Adopted)));
      if (accepted) now = Plain::Adopted;
    } else {
      const auto by = rightly ? person(1) : kAuthor;
      const bool accepted = done(campus.run<Advice>(stream, codec, WithdrawAdvice{by}));
      RC_ASSERT(accepted == (rightly && (now == Plain::Given || now == Plain::Withdrawn)));
      if (accepted) now = Plain::Withdrawn;
    }
  }
  std::map<std::string, std::vector<std::string>> ends;
  for (const auto& recorded : campus.events()) {
    if (recorded.type != "AdviceGiven") ends[recorded.stream.value()].push_back(recorded.type);
  }
  for (const auto& [which, state] : plain) {
    const auto stream = keys::advice(kId, advice_id(which));
    std::vector<std::string> expected;
    if (state == Plain::Adopted) expected = {"AdviceAdopted"};
    if (state == Plain::Withdrawn) expected = {"AdviceWithdrawn"};
    RC_ASSERT(ends[stream.value()] == expected);
  }
}

TEST(AdviceRace, AdoptingAndWithdrawingAtOnceComesToOneOfBoth) {
  Campus campus;
  const eventsourcing::EventCodec<Advice> codec(campus.cipher);
  for (int round = 0; round < 100; ++round) {
    const AdviceIdentity advice{kId, kAuthor, advice_id(round), person(1)};
    const auto stream = keys::advice(kId, advice.advice_id);
    ASSERT_TRUE(done(campus.run<Advice>(stream, codec, GiveAdvice{advice, "text"})));
    bool adopted = false;
    bool withdrawn = false;
    {
      std::latch both(2);
      const std::jthread author([&] {
        both.arrive_and_wait();
        adopted = done(campus.run<Advice>(stream, codec, AdoptAdvice{kAuthor}));
      });
      const std::jthread adviser([&] {
        both.arrive_and_wait();
        withdrawn = done(campus.run<Advice>(stream, codec, WithdrawAdvice{person(1)}));
      });
    }
    EXPECT_NE(adopted, withdrawn) << "round " << round;
    EXPECT_EQ(campus.store.read_stream(stream, core::StreamVersion(0), 10)->size(), 2U);
  }
}

}  // namespace
}  // namespace tideline::projects
