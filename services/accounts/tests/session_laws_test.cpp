// Sessions against a model, in random interleavings of refreshing, replaying, guessing and signing
// out: one family never has two live tokens, and none once an old one was shown.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "accounts/domain/session.hpp"

namespace tideline::accounts {
namespace {

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
const core::Timestamp kNow = *core::parse_iso8601("2026-05-01T12:00:00Z");
const std::string kFamily = "family";

// What the model knows: which token is live, if any.
struct Model {
  std::vector<std::string> issued{"token-0"};
  std::optional<std::size_t> live = 0;
};

RefreshSession refresh_with(const Model& model, std::size_t token) {
  return {{kFamily, model.issued[token]},
          "token-" + std::to_string(model.issued.size()),
          kNow + std::chrono::hours(1),
          true,
          1};
}

Session::State after(Session::State state,
                     const eventsourcing::Decision<Session::Event>& decision) {
  if (decision.rejected()) return state;
  for (const auto& event : decision.events()) state = Session::evolve(std::move(state), event);
  return state;
}

bool gives_a_token(const eventsourcing::Decision<Session::Event>& decision) {
  return !decision.rejected() && decision.events().size() == 1 &&
         std::holds_alternative<SessionRefreshed>(decision.events().front());
}

void expect_only_the_live_token_is_good(const Session::State& state, const Model& model) {
  for (std::size_t token = 0; token < model.issued.size(); ++token) {
    const bool good = gives_a_token(Session::decide(state, refresh_with(model, token)));
    RC_ASSERT(good == (model.live == token));
  }
}

Session::State step_refresh(Session::State state, Model& model, std::size_t token) {
  const auto decision = Session::decide(state, refresh_with(model, token));
  if (model.live == token) {
    model.live = model.issued.size();
    model.issued.push_back("token-" + std::to_string(model.issued.size()));
  } else {
    model.live.reset();
  }
  return after(std::move(state), decision);
}

RC_GTEST_PROP(SessionLaw, AFamilyHasOneLiveTokenAtMost, ()) {
  Session::State state;
  state = after(state, Session::decide(state, OpenSession{{kAda, kFamily, "token-0", 1, kNow,
                                                           kNow + std::chrono::days(30)}}));
  Model model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
  for (const int step : steps) {
    const auto token = static_cast<std::size_t>(step) % model.issued.size();
    // Mostly what clients do, so that families grow before they end.
    if (step % 10 < 7 && model.live) {
      state = step_refresh(std::move(state), model, *model.live);
    } else if (step % 10 == 7) {
      state = step_refresh(std::move(state), model, token);
    } else if (step % 10 == 8) {
      RefreshSession guess = refresh_with(model, token);
      guess.shown.family_hash = "guess-" + std::to_string(step);
      state = after(std::move(state), Session::decide(state, guess));
    } else if (step % 50 == 9) {
      state = after(std::move(state),
                    Session::decide(state, SignOut{kAda, {kFamily, model.issued[token]}}));
      model.live.reset();
    }
    expect_only_the_live_token_is_good(state, model);
  }
}

RC_GTEST_PROP(SessionLaw, TheLastEventIsTheWholeState, ()) {
  Session::State state;
  std::optional<Session::Event> last;
  const auto take = [&](const eventsourcing::Decision<Session::Event>& decision) {
    if (decision.rejected()) return;
    for (const auto& event : decision.events()) {
      state = Session::evolve(std::move(state), event);
      last = event;
    }
  };
  take(Session::decide(
      state, OpenSession{{kAda, kFamily, "token-0", 1, kNow, kNow + std::chrono::days(30)}}));
  Model model;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    const auto token = step % 4 == 0 ? static_cast<std::size_t>(step) % model.issued.size()
                                     : model.issued.size() - 1;
    take(Session::decide(state, refresh_with(model, token)));
    model.issued.push_back("token-" + std::to_string(model.issued.size()));
    const auto from_last = Session::evolve({}, *last);
    RC_ASSERT(from_last.phase == state.phase);
    RC_ASSERT(from_last.facts == state.facts);
  }
}

}  // namespace
}  // namespace tideline::accounts
