#include "projects/api/closed_account_rules.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/events/event_data.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using eventsourcing::PositionVector;
using eventsourcing::ReactionCommand;
using eventsourcing::RecordedEvent;
using Piece = eventsourcing::ProcessManager::Piece;

// What somebody began: a project of theirs (or a vote on it), or a vote that they cast.
struct Begun {
  enum class Kind { Project, Vote };

  const RecordedEvent* cause = nullptr;
  Kind kind = Kind::Project;
  AccountId account;
  std::string project_id;
};
struct Closing {
  const RecordedEvent* cause = nullptr;
  AccountId account;
};

bool is_closing(const RecordedEvent& event) { return event.type == "AccountClosed"; }

// nullopt: the event begins nothing. Throws PoisonEvent.
std::optional<Begun> begun_by(const RecordedEvent& event) {
  const bool votes = event.type == "VoteCast";
  if (!votes && event.type != "ProjectCreated" && event.type != "VotingOpened") return {};
  const eventsourcing::EventData data(event);
  return Begun{&event, votes ? Begun::Kind::Vote : Begun::Kind::Project,
               data.account(votes ? "voter" : "author"), data.id("project_id")};
}

CommandResult abandon(crypto::SubjectCipher& cipher, CommandSession& session,
                      const std::string& id) {
  const auto project =
      change<Project>(session, keys::project(id), EventCodec<Project>(cipher), AbandonProject{});
  const EventCodec<Voting> codec;
  const auto voting = session.load<Voting>(keys::voting(id), codec);
  if (voting.state == Voting::State::Open) {
    const AccountId& author = project.state.author;
    change<Voting>(session, voting, codec, CloseVoting{id, author, author});
  }
  return Answer{};
}

CommandResult take_back(crypto::SubjectCipher& cipher, CommandSession& session,
                        const std::string& id, const AccountId& voter) {
  const auto voting = session.load<Voting>(keys::voting(id), EventCodec<Voting>{});
  if (voting.state != Voting::State::Open) return Answer{};
  session.assert_unchanged(voting);
  const auto project = session.load<Project>(keys::project(id), EventCodec<Project>(cipher));
  change<Vote>(session, keys::vote(id, voter), EventCodec<Vote>{},
               WithdrawVote{id, project.state.author, voter, voting.state});
  return Answer{};
}

ReactionCommand end(crypto::SubjectCipher& cipher, const Begun& begun) {
  const std::string id = begun.project_id;
  if (begun.kind == Begun::Kind::Project) {
    return {begun.cause, "abandon/" + id,
            [&cipher, id](CommandSession& session) { return abandon(cipher, session, id); }};
  }
  return {begun.cause, "take-back/" + id + "/" + begun.account.to_string(),
          [&cipher, id, voter = begun.account](CommandSession& session) {
            return take_back(cipher, session, id, voter);
          }};
}

// Of one batch. First what was begun too late, then one closing after the other: projects, votes.
class ClosedAccounts final : public eventsourcing::ProcessManager {
 public:
  ClosedAccounts(const ClosedAccountPorts& ports, std::span<const RecordedEvent> causes)
      : ports_(ports) {
    for (const RecordedEvent& cause : causes) {
      if (is_closing(cause)) {
        closings_.push_back({&cause, eventsourcing::EventData(cause).account("account_id")});
        closed_at_.raise(cause.source, cause.log, cause.position);
      } else if (auto begun = begun_by(cause)) {
        begun_.push_back(*std::move(begun));
      }
    }
  }

  core::Result<Piece> next(std::size_t limit) override {
    if (!begun_.empty()) return end_begun(limit);
    if (closings_.empty()) return Piece{};
    if (!noted_) {
      if (!ports_.people_applied.wait_for(closed_at_, kNoWait)) return Piece{{}, true};
      const auto status = note_ends();
      if (!status) return status.error();
    }
    if (!ports_.projects_applied.wait_for(own_ends_, kNoWait)) return Piece{{}, true};
    return end_listed(static_cast<int>(limit));
  }

 private:
  static constexpr std::chrono::milliseconds kNoWait{0};

  core::Status note_ends() {
    const auto heads = ports_.log.heads();
    if (!heads) return heads.error();
    for (std::uint32_t log = 0; log < heads->size(); ++log) {
      own_ends_.raise("projects", core::LogIndex(log), (*heads)[log]);
    }
    noted_ = true;
    return core::success();
  }

  core::Result<Piece> end_begun(std::size_t limit) {
    const std::size_t count = std::min(limit, begun_.size());
    std::vector<AccountId> accounts;
    for (std::size_t i = 0; i < count; ++i) accounts.push_back(begun_[i].account);
    const auto known = ports_.database.read([&](sql::Transaction& transaction) {
      return ports_.people.find_many(transaction, accounts);
    });
    if (!known) return known.error();
    Piece piece;
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = known->find(begun_[i].account);
      if (found == known->end() || !found->second.closed) continue;
      piece.commands.push_back(end(ports_.cipher, begun_[i]));
    }
    begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(count));
    piece.more = !begun_.empty() || !closings_.empty();
    return piece;
  }

  core::Result<Piece> end_listed(int limit) {
    const auto& [cause, account] = closings_.front();
    const auto ids = ports_.database.read([&, &who = account](sql::Transaction& transaction) {
      return kind_ == Begun::Kind::Project ? projects_of(transaction, who, behind_, limit)
                                           : open_votes_of(transaction, who, behind_, limit);
    });
    if (!ids) return ids.error();
    Piece piece;
    for (const std::string& id : *ids) {
      piece.commands.push_back(end(ports_.cipher, {cause, kind_, account, id}));
    }
    if (ids->size() == static_cast<std::size_t>(limit)) {
      behind_ = ids->back();
    } else {
      end_list();
    }
    piece.more = !closings_.empty();
    return piece;
  }

  void end_list() {
    behind_.clear();
    if (kind_ == Begun::Kind::Project) {
      kind_ = Begun::Kind::Vote;
      return;
    }
    kind_ = Begun::Kind::Project;
    closings_.erase(closings_.begin());
  }

  const ClosedAccountPorts ports_;
  std::vector<Begun> begun_;
  std::vector<Closing> closings_;
  PositionVector closed_at_;
  PositionVector own_ends_;
  bool noted_ = false;
  // Of the first closing: which list, and where its next page begins.
  Begun::Kind kind_ = Begun::Kind::Project;
  std::string behind_;
};

}  // namespace

bool ClosedAccountRules::concerns(const RecordedEvent& event) const {
  if (!is_closing(event)) return begun_by(event).has_value();
  eventsourcing::EventData(event).account("account_id");
  return true;
}

std::unique_ptr<eventsourcing::ProcessManager> ClosedAccountRules::process_manager(
    std::span<const RecordedEvent> causes) {
  return std::make_unique<ClosedAccounts>(ports_, causes);
}

}  // namespace tideline::projects
