// Laws of projects, held to a plain model under random commands. rapidcheck prints the seed of a
// failure and shrinks it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "campus.hpp"

namespace tideline::projects {
namespace {

const core::AccountId kAuthor({9});
const std::string kId(26, '0');

core::AccountId person(int number) { return core::AccountId({static_cast<std::uint8_t>(number)}); }

bool done(const eventsourcing::CommandOutcome& outcome) {
  return std::holds_alternative<eventsourcing::CommandDone>(outcome);
}

// Folds a ballot box out of the store, as the routes do before they decide on a vote.
Voting::State voting_state(Campus& campus) {
  Voting::State state = Voting::State::NotOpened;
  const auto events =
      campus.store.read_stream(core::keys::voting(kId), core::StreamVersion(0), 100);
  for (const auto& event : *events) state = Voting::evolve(state, *VotingCodec{}.decode(event));
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
    const auto vote = core::keys::vote(kId, person(who));
    if (what == 0) {
      const bool accepted = done(campus.run<Voting>(core::keys::voting(kId), VotingCodec{},
                                                    OpenVoting{kId, kAuthor, kAuthor}));
      RC_ASSERT(accepted == !closed);
      opened = opened || accepted;
    } else if (what == 1) {
      const bool accepted = done(campus.run<Voting>(core::keys::voting(kId), VotingCodec{},
                                                    CloseVoting{kId, kAuthor, kAuthor}));
      RC_ASSERT(accepted == opened);
      closed = closed || accepted;
    } else if (what < 8) {
      const bool accepted = done(campus.run<Vote>(
          vote, VoteCodec{}, CastVote{kId, kAuthor, person(who), voting_state(campus)}));
      RC_ASSERT(accepted == (opened && !closed));
      if (accepted) standing.insert(who), ever.insert(who);
    } else {
      const bool accepted = done(campus.run<Vote>(
          vote, VoteCodec{}, WithdrawVote{kId, kAuthor, person(who), voting_state(campus)}));
      RC_ASSERT(accepted == (opened && !closed));
      if (accepted) standing.erase(who);
    }
  }
  std::int64_t tally = 0;
  std::set<core::AccountId> first_marks;
  for (const auto& recorded : campus.events()) {
    const auto event = VoteCodec{}.decode(recorded);
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
  const CommentsCodec codec(campus.cipher);
  const auto parents =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-1, 8));
  std::int64_t written = 0;
  for (const std::int64_t parent : parents) {
    const bool accepted = done(campus.run<Comments>(
        core::keys::comments(kId), codec, AddComment{kId, kAuthor, parent, person(1), "text", ""}));
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

}  // namespace
}  // namespace tideline::projects
