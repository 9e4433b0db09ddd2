#include "social-graph/api/group_codec.hpp"

#include "social-graph/api/own_event.hpp"
#include "social-graph/api/sealed_name.hpp"

namespace tideline::social_graph {

using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;

NewEvent GroupCodec::encode(const Group::Event& event) const {
  return std::visit(Overloaded{
                        [&](const GroupCreated& fact) {
                          return own_event(
                              "GroupCreated",
                              {{"group_id", fact.group_id},
                               {"creator", fact.creator.to_string()},
                               {"name", seal_name(cipher_, fact.creator, fact.name, kGroupName)},
                               {"private", fact.is_private}});
                        },
                        [&](const GroupDissolved& fact) {
                          return own_event("GroupDissolved", {{"group_id", fact.group_id}}, seen_);
                        },
                    },
                    event);
}

std::optional<Group::Event> GroupCodec::decode(const RecordedEvent& recorded) const {
  auto event = read_own_event<Group>(recorded);
  if (event) {
    if (auto* created = std::get_if<GroupCreated>(&*event)) {
      created->name = open_name(cipher_, created->creator, created->name, kGroupName);
    }
  }
  return event;
}

NewEvent MembershipCodec::encode(const Membership::Event& event) const {
  const auto data = [](const auto& fact) {
    return nlohmann::json{{"group_id", fact.group_id}, {"account_id", fact.account_id.to_string()}};
  };
  return std::visit(
      Overloaded{
          [&](const GroupInvited& fact) {
            auto invited = data(fact);
            invited["by"] = fact.by.to_string();
            return own_event("GroupInvited", invited);
          },
          [&](const GroupJoined& fact) { return own_event("GroupJoined", data(fact), seen); },
          [&](const GroupLeft& fact) { return own_event("GroupLeft", data(fact), seen); },
      },
      event);
}

std::optional<Membership::Event> MembershipCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<Membership>(recorded);
}

NewEvent MemberCountCodec::encode(const MemberCount::Event& event) const {
  return std::visit(Overloaded{[](const MemberCountChanged& fact) {
                      return own_event("MemberCountChanged",
                                       {{"group_id", fact.group_id}, {"count", fact.count}});
                    }},
                    event);
}

std::optional<MemberCount::Event> MemberCountCodec::decode(const RecordedEvent& recorded) const {
  return read_own_event<MemberCount>(recorded);
}

}  // namespace tideline::social_graph
