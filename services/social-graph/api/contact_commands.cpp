#include "social-graph/api/contact_commands.hpp"

#include <optional>
#include <utility>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::Changed;

// What an event of the pair means for the count of one of them; nullopt: nothing.
std::optional<ContactCount::Command> count_command(const ContactPair::Event& event,
                                                   const AccountId& account, std::int64_t limit,
                                                   const eventsourcing::Rejection& when_full) {
  using Command = std::optional<ContactCount::Command>;
  return std::visit(
      eventsourcing::Overloaded{
          [](const ContactRequested&) -> Command { return std::nullopt; },
          [&](const ContactAccepted&) -> Command {
            return ContactCount::Add{account, limit, when_full};
          },
          [](const ContactDeclined&) -> Command { return std::nullopt; },
          [](const ContactRequestWithdrawn&) -> Command { return std::nullopt; },
          [&](const ContactRemoved&) -> Command { return ContactCount::Remove{account}; },
      },
      event);
}

}  // namespace

Changed<Remark> change_remark(eventsourcing::CommandSession& session, crypto::SubjectCipher& cipher,
                              const AccountId& owner, const AccountId& other,
                              const std::string& remark) {
  const auto pair = session.load<ContactPair>(keys::contact(owner, other),
                                              eventsourcing::EventCodec<ContactPair>{});
  session.assert_unchanged(pair);
  const bool are_contacts = pair.state.phase == ContactPair::Phase::Contacts;
  return change_last<Remark>(session, keys::remark(owner, other),
                             eventsourcing::EventCodec<Remark>(cipher),
                             SetRemark{owner, other, remark, are_contacts});
}

Changed<Remark> remove_remark(eventsourcing::CommandSession& session, const AccountId& owner,
                              const AccountId& other) {
  // No key is needed to take a text away.
  return change_last<Remark>(session, keys::remark(owner, other),
                             eventsourcing::EventCodec<Remark>{}, RemoveRemark{owner, other});
}

Changed<ContactPair> change_pair(eventsourcing::CommandSession& session, const AccountId& me,
                                 const AccountId& other, const ContactPair::Command& command,
                                 std::int64_t contact_limit) {
  auto pair = change<ContactPair>(session, keys::contact(me, other),
                                  eventsourcing::EventCodec<ContactPair>{}, command);
  for (const ContactPair::Event& event : pair.events) {
    if (std::holds_alternative<ContactRemoved>(event)) {
      remove_remark(session, me, other);
      remove_remark(session, other, me);
    }
    for (const auto& [account, when_full] :
         {std::pair(me, kContactLimit), std::pair(other, kTheirContactLimit)}) {
      const auto counting = count_command(event, account, contact_limit, when_full);
      if (!counting) continue;
      change_last<ContactCount>(session, keys::contact_count(account),
                                eventsourcing::EventCodec<ContactCount>{}, *counting);
    }
  }
  return pair;
}

Changed<ContactPair> end_pair(eventsourcing::CommandSession& session, const AccountId& me,
                              const AccountId& other) {
  // No limit is asked for where nobody is added.
  return change_pair(session, me, other, EndContact{me, other, session.context().now}, 0);
}

}  // namespace tideline::social_graph
