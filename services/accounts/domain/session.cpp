#include "accounts/domain/session.hpp"

#include <algorithm>
#include <utility>

#include "accounts/domain/rejections.hpp"

namespace tideline::accounts {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

Decision<Session::Event> refresh(const Session::State& state, const RefreshSession& wanted) {
  const SessionFacts& facts = state.facts;
  if (state.phase != Session::Phase::Live || facts.family_hash != wanted.shown.family_hash) {
    return kRefreshRefused;
  }
  if (facts.token_hash != wanted.shown.token_hash) {
    return Decision<Session::Event>::of(
        SessionRevoked{facts.account, facts.family_hash, RevocationReason::TokenReused});
  }
  const bool good = wanted.account_open && wanted.password_version == facts.password_version &&
                    wanted.at < facts.expires_at;
  if (!good) return kRefreshRefused;
  SessionRefreshed refreshed{facts};
  refreshed.facts.token_hash = wanted.next_token_hash;
  return Decision<Session::Event>::of(refreshed);
}

Decision<Session::Event> end(const Session::State& state, const EndSession& wanted) {
  const bool all_was_lost =
      state.phase == Session::Phase::Revoked && state.facts.account == core::AccountId();
  if (all_was_lost) return Decision<Session::Event>::nothing();
  if (state.phase == Session::Phase::None || state.facts.account != wanted.account) {
    return kNoSuchSession;
  }
  if (state.phase == Session::Phase::Revoked) return Decision<Session::Event>::nothing();
  return Decision<Session::Event>::of(
      SessionRevoked{wanted.account, state.facts.family_hash, wanted.reason});
}

Decision<Session::Event> sign_out(const Session::State& state, const SignOut& wanted) {
  const SessionFacts& facts = state.facts;
  if (state.phase == Session::Phase::None || facts.account != wanted.account ||
      facts.family_hash != wanted.shown.family_hash) {
    return kRefreshRefused;
  }
  if (state.phase == Session::Phase::Revoked) return Decision<Session::Event>::nothing();
  return Decision<Session::Event>::of(
      SessionRevoked{facts.account, facts.family_hash, RevocationReason::SignedOut});
}

}  // namespace

Session::State Session::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const SessionOpened& fact) {
                   state = {Phase::Live, fact.facts, fact.client};
                 },
                 [&](const SessionRefreshed& fact) {
                   state.phase = Phase::Live;
                   state.facts = fact.facts;
                 },
                 [&](const SessionRevoked& fact) {
                   state = {Phase::Revoked, {}, {}};
                   state.facts.account = fact.account;
                   state.facts.family_hash = fact.family_hash;
                 },
             },
             event);
  return state;
}

Decision<Session::Event> Session::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const OpenSession& wanted) -> Decision<Event> {
                          if (state.phase != Phase::None) return kRefreshRefused;
                          return Decision<Event>::of(SessionOpened{wanted.facts, wanted.client});
                        },
                        [&](const RefreshSession& wanted) { return refresh(state, wanted); },
                        [&](const SignOut& wanted) { return sign_out(state, wanted); },
                        [&](const EndSession& wanted) { return end(state, wanted); },
                    },
                    command);
}

bool SessionList::State::contains(const std::string& session_id) const {
  return std::ranges::find(session_ids, session_id) != session_ids.end();
}

SessionList::State SessionList::evolve(State, const Event& event) {
  return {std::get<SessionListChanged>(event).session_ids};
}

Decision<SessionList::Event> SessionList::decide(const State& state, const Command& command) {
  std::vector<std::string> ids = state.session_ids;
  core::AccountId account;
  std::visit(Overloaded{
                 [&](const ListSession& wanted) {
                   account = wanted.account;
                   if (!state.too_many().empty()) ids.erase(ids.begin());
                   ids.push_back(wanted.session_id);
                 },
                 [&](const UnlistSession& wanted) {
                   account = wanted.account;
                   std::erase(ids, wanted.session_id);
                 },
                 [&](const ListAlone& wanted) {
                   account = wanted.account;
                   ids = {wanted.session_id};
                 },
             },
             command);
  if (ids == state.session_ids) return Decision<Event>::nothing();
  return Decision<Event>::of(SessionListChanged{account, std::move(ids)});
}

}  // namespace tideline::accounts
