#include "social-graph/api/closed_account_rules.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "core/check.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/events/event_data.hpp"
#include "social-graph/api/contact_commands.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/projections/contact_queries.hpp"
#include "social-graph/projections/follow_queries.hpp"
#include "social-graph/projections/group_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::PositionVector;
using eventsourcing::ReactionCommand;
using eventsourcing::RecordedEvent;
using sql::PersonSince;
using sql::Transaction;
using sql::Window;

using Piece = eventsourcing::ProcessManager::Piece;
using Ports = std::shared_ptr<const ClosedAccountPorts>;

struct Closing {
  AccountId account;
};
struct BegunContact {
  AccountId one;
  AccountId other;
};
struct BegunFollow {
  AccountId follower;
  AccountId followee;
};
struct BegunMembership {
  std::string group_id;
  AccountId account;
};
using Concern = std::variant<std::monostate, Closing, BegunContact, BegunFollow, BegunMembership>;

// What the event may call for; monostate: nothing. Throws PoisonEvent.
Concern concern_of(const RecordedEvent& event) {
  if (event.type == "AccountClosed") {
    return Closing{eventsourcing::EventData(event).account("account_id")};
  }
  if (event.type == "ContactRequested" || event.type == "ContactAccepted") {
    const eventsourcing::EventData data(event);
    return BegunContact{data.account("from"), data.account("to")};
  }
  if (event.type == "Followed") {
    const eventsourcing::EventData data(event);
    return BegunFollow{data.account("follower"), data.account("followee")};
  }
  if (event.type == "GroupJoined") {
    const eventsourcing::EventData data(event);
    return BegunMembership{data.id("group_id"), data.account("account_id")};
  }
  return {};
}

ReactionCommand end_contact(const Ports& ports, const RecordedEvent& cause, const AccountId& closed,
                            const AccountId& other) {
  return {&cause, "end-contact/" + closed.to_string() + "/" + other.to_string(),
          [ports, closed, other](CommandSession& session) -> CommandResult {
            end_pair(session, closed, other);
            return Answer{};
          }};
}

ReactionCommand end_follow(const RecordedEvent& cause, const AccountId& closed,
                           const AccountId& followee) {
  return {&cause, "end-follow/" + closed.to_string() + "/" + followee.to_string(),
          [closed, followee](CommandSession& session) -> CommandResult {
            eventsourcing::change<Follow>(session, keys::follow(closed, followee),
                                          eventsourcing::EventCodec<Follow>{},
                                          UnfollowPerson{closed, followee});
            return Answer{};
          }};
}

ReactionCommand end_membership(const Ports& ports, const RecordedEvent& cause,
                               const AccountId& closed, const std::string& group_id) {
  return {&cause, "end-membership/" + group_id + "/" + closed.to_string(),
          [ports, closed, group_id](CommandSession& session) {
            return ports->groups.end_membership(session, group_id, closed);
          }};
}

}  // namespace

// Of one batch. First what was begun too late, then one closing after the other, list by list.
class ClosedAccountRules::ClosedAccountProcessManager final : public eventsourcing::ProcessManager {
 public:
  ClosedAccountProcessManager(Ports ports, std::span<const RecordedEvent> causes)
      : ports_(std::move(ports)) {
    for (const RecordedEvent& cause : causes) {
      const Concern concern = concern_of(cause);
      if (const auto* closing = std::get_if<Closing>(&concern)) {
        closings_.push_back({&cause, closing->account});
        closed_at_.raise(cause.source, cause.log, cause.position);
      } else {
        begun_.push_back({&cause, concern});
      }
    }
  }

  core::Result<Piece> next(std::size_t limit) override {
    if (!begun_.empty()) return end_begun(limit);
    if (closings_.empty()) return Piece{};
    if (!noted_) {
      if (!ports_->people_applied.wait_for(closed_at_, kNoWait)) return Piece{{}, true};
      const auto status = note_ends();
      if (!status) return status.error();
    }
    if (!ports_->graph_applied.wait_for(own_ends_, kNoWait)) return Piece{{}, true};
    return end_listed(static_cast<int>(limit));
  }

 private:
  static constexpr std::chrono::milliseconds kNoWait{0};
  static constexpr std::array<Relation, 3> kEnding{Relation::Outgoing, Relation::Incoming,
                                                   Relation::Contact};

  core::Status note_ends() {
    const auto heads = ports_->log.heads();
    if (!heads) return heads.error();
    for (std::uint32_t log = 0; log < heads->size(); ++log) {
      own_ends_.raise("social-graph", core::LogIndex(log), (*heads)[log]);
    }
    noted_ = true;
    return core::success();
  }

  core::Result<Piece> end_begun(std::size_t limit) {
    const std::size_t count = std::min(limit, begun_.size());
    std::vector<AccountId> accounts;
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto* contact = std::get_if<BegunContact>(&begun_[i].concern)) {
        accounts.push_back(contact->one);
        accounts.push_back(contact->other);
      } else if (const auto* follow = std::get_if<BegunFollow>(&begun_[i].concern)) {
        accounts.push_back(follow->follower);
      } else {
        accounts.push_back(std::get<BegunMembership>(begun_[i].concern).account);
      }
    }
    const auto known = ports_->database.read(
        [&](Transaction& transaction) { return ports_->people.find_many(transaction, accounts); });
    if (!known) return known.error();
    const auto closed = [&](const AccountId& account) {
      const auto found = known->find(account);
      return found != known->end() && found->second.closed;
    };
    Piece piece;
    for (std::size_t i = 0; i < count; ++i) {
      const RecordedEvent& cause = *begun_[i].cause;
      if (const auto* contact = std::get_if<BegunContact>(&begun_[i].concern)) {
        const auto& [one, other] = *contact;
        if (closed(one)) {
          piece.commands.push_back(end_contact(ports_, cause, one, other));
        } else if (closed(other)) {
          piece.commands.push_back(end_contact(ports_, cause, other, one));
        }
      } else if (const auto* follow = std::get_if<BegunFollow>(&begun_[i].concern)) {
        if (closed(follow->follower)) {
          piece.commands.push_back(end_follow(cause, follow->follower, follow->followee));
        }
      } else {
        const auto& [group_id, account] = std::get<BegunMembership>(begun_[i].concern);
        if (closed(account)) {
          piece.commands.push_back(end_membership(ports_, cause, account, group_id));
        }
      }
    }
    begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(count));
    piece.more = !begun_.empty() || !closings_.empty();
    return piece;
  }

  core::Result<Piece> end_listed(int limit) {
    Piece piece;
    core::Status status = list_ < kEnding.size()    ? list_contacts(limit, piece)
                          : list_ == kEnding.size() ? list_followed(limit, piece)
                                                    : list_memberships(limit, piece);
    if (!status) return status.error();
    if (list_ > kEnding.size() + 1) {
      list_ = 0;
      closings_.erase(closings_.begin());
    }
    piece.more = !closings_.empty();
    return piece;
  }

  core::Status list_contacts(int limit, Piece& piece) {
    const auto& [cause, account] = closings_.front();
    const auto page = ports_->database.read([&, &account = account](Transaction& transaction) {
      const Window<AccountId> window{std::nullopt, behind_person_, limit};
      return list_related(transaction, account, kEnding[list_], window);
    });
    if (!page) return page.error();
    for (const PersonSince& item : page->items) {
      piece.commands.push_back(end_contact(ports_, *cause, account, item.account));
    }
    go_behind(*page);
    return core::success();
  }

  core::Status list_followed(int limit, Piece& piece) {
    const auto& [cause, account] = closings_.front();
    const auto page = ports_->database.read([&, &account = account](Transaction& transaction) {
      const Window<AccountId> window{std::nullopt, behind_person_, limit};
      return list_follows(transaction, account, FollowDirection::Following, window);
    });
    if (!page) return page.error();
    for (const PersonSince& item : page->items) {
      piece.commands.push_back(end_follow(*cause, account, item.account));
    }
    go_behind(*page);
    return core::success();
  }

  void go_behind(const sql::Slice<PersonSince>& page) {
    behind_person_.reset();
    if (page.more_after) {
      behind_person_ = {page.items.back().since, page.items.back().account};
    } else {
      ++list_;
    }
  }

  core::Status list_memberships(int limit, Piece& piece) {
    const auto& [cause, account] = closings_.front();
    const auto page = ports_->database.read([&, &account = account](Transaction& transaction) {
      const Window<std::string> window{std::nullopt, behind_group_, limit};
      return list_groups(transaction, account, Membership::Phase::Member, window);
    });
    if (!page) return page.error();
    for (const ListedGroup& group : page->items) {
      piece.commands.push_back(end_membership(ports_, *cause, account, group.group_id));
    }
    behind_group_.reset();
    if (page->more_after) {
      behind_group_ = {page->items.back().since, page->items.back().group_id};
    } else {
      ++list_;
    }
    return core::success();
  }

  struct Begun {
    const RecordedEvent* cause;
    Concern concern;
  };

  const Ports ports_;
  std::vector<Begun> begun_;
  std::vector<std::pair<const RecordedEvent*, AccountId>> closings_;
  PositionVector closed_at_;
  PositionVector own_ends_;
  bool noted_ = false;
  // Of the first closing: which list (those of kEnding, then follows, then groups), and where its
  // next page begins.
  std::size_t list_ = 0;
  std::optional<sql::Place<AccountId>> behind_person_;
  std::optional<sql::Place<std::string>> behind_group_;
};

ClosedAccountRules::ClosedAccountRules(ClosedAccountPorts ports)
    : ports_(std::make_shared<const ClosedAccountPorts>(std::move(ports))) {}

ClosedAccountRules::~ClosedAccountRules() = default;

bool ClosedAccountRules::concerns(const RecordedEvent& event) const {
  return !std::holds_alternative<std::monostate>(concern_of(event));
}

std::unique_ptr<eventsourcing::ProcessManager> ClosedAccountRules::process_manager(
    std::span<const RecordedEvent> causes) {
  return std::make_unique<ClosedAccountProcessManager>(ports_, causes);
}

}  // namespace tideline::social_graph
