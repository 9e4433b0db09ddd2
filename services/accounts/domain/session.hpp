// A session: a family of refresh tokens of which at most one is live. Each refresh puts a new token
// in the place of the live one; whoever then shows an older one of the family (a thief, or the
// owner after a thief) ends it for both.
//
// A token has two secrets. The family's stays the same and tells an older token from a guess; the
// other changes with each refresh. Only their hashes are here. Every event carries the whole state,
// so that a session is read by its last event however often it was refreshed.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "accounts/events.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"

namespace tideline::accounts {

// What a client shows: the hashes of both secrets of its token.
struct ShownToken {
  std::string family_hash;
  std::string token_hash;
};

// Commands
struct OpenSession {
  SessionFacts facts;
  std::string client{};  // what it says of itself
};
struct RefreshSession {
  ShownToken shown;
  std::string next_token_hash;
  core::Timestamp at;
  bool account_open = false;
  std::uint32_t password_version = 0;  // of the account now
};
struct SignOut {
  core::AccountId account;  // who asks
  ShownToken shown;
};
// By the account's owner, from another session.
struct EndSession {
  core::AccountId account;
  RevocationReason reason = RevocationReason::Ended;
};

struct Session {
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<SessionOpened, SessionRefreshed, SessionRevoked>;

  enum class Phase { None, Live, Revoked };
  struct State {
    Phase phase = Phase::None;
    SessionFacts facts;  // once revoked: account and family_hash alone
    std::string client;  // of a stream that was read from its beginning
  };
  static State evolve(State state, const Event& event);
  // It was refreshed, or it ended: either way what is known of its token is of no use.
  static void lost(State& state, std::string_view) { state.phase = Phase::Revoked; }

  using Command = std::variant<OpenSession, RefreshSession, SignOut, EndSession>;
  // RefreshSession gives SessionRefreshed; or, for an older token, SessionRevoked (the caller
  // refuses all the same); or kRefreshRefused. Opening a session that exists is kRefreshRefused:
  // ids are random, so it does not happen.
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

// Commands about the sessions of an account that have not ended.
struct ListSession {
  core::AccountId account;
  std::string session_id;
};
struct UnlistSession {
  core::AccountId account;
  std::string session_id;
};
// All others have ended.
struct ListAlone {
  core::AccountId account;
  std::string session_id;
};

// Its last event is its state.
struct SessionList {
  static constexpr std::size_t kSessionsMax = 20;
  static constexpr auto kCompaction = eventsourcing::latest_of_each_type();

  using Event = std::variant<SessionListChanged>;
  struct State {
    std::vector<std::string> session_ids;  // in the order in which they began

    bool contains(const std::string& session_id) const;
    // What must end before one more begins; "" = nothing.
    std::string too_many() const {
      return session_ids.size() < kSessionsMax ? "" : session_ids.front();
    }
  };
  static State evolve(State state, const Event& event);

  using Command = std::variant<ListSession, UnlistSession, ListAlone>;
  // One more than kSessionsMax takes the place of the first.
  static eventsourcing::Decision<Event> decide(const State& state, const Command& command);
};

}  // namespace tideline::accounts
