#include "scoring/projections/awards.hpp"

#include "eventsourcing/commands/decider.hpp"

namespace tideline::scoring {

using eventsourcing::Overloaded;

namespace {

bool is_own(const read::VoteCast& vote) { return vote.voter == vote.project_author; }

}  // namespace

std::vector<Award> awards_of(const Fact& fact) {
  using Awards = std::vector<Award>;
  return std::visit(
      Overloaded{
          [](const read::AccountRegistered&) { return Awards{}; },
          [](const read::AccountClosed&) { return Awards{}; },
          [](const read::SignedIn& event) {
            return Awards{{event.account, Reason::SignIn}};
          },
          [](const read::ProfileViewed& event) {
            return Awards{{event.owner, Reason::ProfileViewed}};
          },
          [](const read::ContactAccepted& event) {
            if (!event.first) return Awards{};
            return Awards{{.account = event.from, .reason = Reason::Contact, .person = event.to},
                          {.account = event.to, .reason = Reason::Contact, .person = event.from}};
          },
          [](const read::Followed& event) {
            if (!event.first) return Awards{};
            return Awards{
                {.account = event.followee, .reason = Reason::Followed, .person = event.follower}};
          },
          [](const read::ProjectCreated& event) {
            return Awards{{.account = event.author,
                           .reason = Reason::ProjectPublished,
                           .project_id = event.project_id}};
          },
          [](const read::ProjectEdited& event) {
            return Awards{{.account = event.author,
                           .reason = Reason::ProjectEdited,
                           .project_id = event.project_id}};
          },
          // Points are for what was done: they stay.
          [](const read::ProjectWithdrawn&) { return Awards{}; },
          [](const read::ProjectRestored&) { return Awards{}; },
          [](const read::CommentAdded& event) {
            return Awards{{.account = event.author,
                           .reason = Reason::Comment,
                           .project_id = event.project_id}};
          },
          [](const read::AdviceAdopted& event) {
            return Awards{{.account = event.adviser,
                           .reason = Reason::AdviceAdopted,
                           .project_id = event.project_id}};
          },
          [](const read::VoteCast& event) {
            if (!event.first || is_own(event)) return Awards{};
            return Awards{{.account = event.project_author,
                           .reason = Reason::VoteReceived,
                           .project_id = event.project_id},
                          {.account = event.voter,
                           .reason = Reason::VoteCast,
                           .project_id = event.project_id}};
          },
          [](const Rated&) { return Awards{}; },
          [](const RulesChanged&) { return Awards{}; },
          [](const RuleDaysSettled&) { return Awards{}; },
          [](const read::PointsAdjusted& event) {
            return Awards{{.account = event.account_id,
                           .reason = Reason::Adjustment,
                           .adjusted_by = event.delta,
                           .sealed_note = event.sealed_reason}};
          },
      },
      fact);
}

std::vector<core::AccountId> people_of(const Fact& fact, const std::vector<Award>& awards) {
  std::vector<core::AccountId> people;
  if (const auto* registered = std::get_if<read::AccountRegistered>(&fact)) {
    people.push_back(registered->account);
  } else if (const auto* closed = std::get_if<read::AccountClosed>(&fact)) {
    people.push_back(closed->account);
  } else if (const auto* vote = std::get_if<read::VoteCast>(&fact)) {
    // It earned twice once: a version must not fall.
    if (vote->first && is_own(*vote)) people.assign(2, vote->voter);
  }
  for (const Award& award : awards) people.push_back(award.account);
  return people;
}

}  // namespace tideline::scoring
