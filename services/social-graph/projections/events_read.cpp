#include "social-graph/projections/events_read.hpp"

#include <string>

#include "eventsourcing/event_data.hpp"

namespace tideline::social_graph {

using eventsourcing::EventData;
using eventsourcing::RecordedEvent;

template <>
std::optional<ContactPair::Event> read_event<ContactPair>(const RecordedEvent& recorded) {
  const std::string& type = recorded.type;
  if (type == "ContactRequested") {
    const EventData data(recorded);
    return ContactRequested{data.account("from"), data.account("to")};
  }
  if (type == "ContactAccepted") {
    const EventData data(recorded);
    return ContactAccepted{data.account("from"), data.account("to"), data.boolean("first")};
  }
  if (type == "ContactDeclined") {
    const EventData data(recorded);
    return ContactDeclined{data.account("from"), data.account("to")};
  }
  if (type == "ContactRequestWithdrawn") {
    const EventData data(recorded);
    return ContactRequestWithdrawn{data.account("from"), data.account("to")};
  }
  if (type == "ContactRemoved") {
    const EventData data(recorded);
    return ContactRemoved{data.account("by"), data.account("other")};
  }
  return std::nullopt;
}

template <>
std::optional<ContactCount::Event> read_event<ContactCount>(const RecordedEvent& recorded) {
  if (recorded.type != "ContactCountChanged") return std::nullopt;
  const EventData data(recorded);
  return ContactCountChanged{data.account("account_id"), data.integer("count")};
}

template <>
std::optional<Follow::Event> read_event<Follow>(const RecordedEvent& recorded) {
  if (recorded.type == "Followed") {
    const EventData data(recorded);
    return Followed{data.account("follower"), data.account("followee"), data.boolean("first")};
  }
  if (recorded.type == "Unfollowed") {
    const EventData data(recorded);
    return Unfollowed{data.account("follower"), data.account("followee")};
  }
  return std::nullopt;
}

template <>
std::optional<Tag::Event> read_event<Tag>(const RecordedEvent& recorded) {
  if (recorded.type == "TagCreated") {
    const EventData data(recorded);
    return TagCreated{data.account("owner"), data.id("tag_id"), data.text("name")};
  }
  if (recorded.type == "TagDeleted") {
    const EventData data(recorded);
    return TagDeleted{data.account("owner"), data.id("tag_id")};
  }
  return std::nullopt;
}

template <>
std::optional<Tagging::Event> read_event<Tagging>(const RecordedEvent& recorded) {
  if (recorded.type == "ContactTagged") {
    const EventData data(recorded);
    return ContactTagged{data.account("owner"), data.id("tag_id"), data.account("account_id")};
  }
  if (recorded.type == "ContactUntagged") {
    const EventData data(recorded);
    return ContactUntagged{data.account("owner"), data.id("tag_id"), data.account("account_id")};
  }
  return std::nullopt;
}

template <>
std::optional<MomentSetting::Event> read_event<MomentSetting>(const RecordedEvent& recorded) {
  if (recorded.type != "MomentSettingChanged") return std::nullopt;
  const EventData data(recorded);
  return MomentSettingChanged{data.account("owner"), data.account("other"),
                              data.boolean("hides_other"), data.boolean("hidden_from_other")};
}

template <>
std::optional<Group::Event> read_event<Group>(const RecordedEvent& recorded) {
  if (recorded.type == "GroupCreated") {
    const EventData data(recorded);
    return GroupCreated{data.id("group_id"), data.account("creator"), data.text("name"),
                        data.boolean("private")};
  }
  if (recorded.type == "GroupDissolved") {
    return GroupDissolved{EventData(recorded).id("group_id")};
  }
  return std::nullopt;
}

template <>
std::optional<Membership::Event> read_event<Membership>(const RecordedEvent& recorded) {
  if (recorded.type == "GroupInvited") {
    const EventData data(recorded);
    return GroupInvited{data.id("group_id"), data.account("account_id"), data.account("by")};
  }
  if (recorded.type == "GroupJoined") {
    const EventData data(recorded);
    return GroupJoined{data.id("group_id"), data.account("account_id")};
  }
  if (recorded.type == "GroupLeft") {
    const EventData data(recorded);
    return GroupLeft{data.id("group_id"), data.account("account_id")};
  }
  return std::nullopt;
}

template <>
std::optional<MemberCount::Event> read_event<MemberCount>(const RecordedEvent& recorded) {
  if (recorded.type != "MemberCountChanged") return std::nullopt;
  const EventData data(recorded);
  return MemberCountChanged{data.id("group_id"), data.integer("count")};
}

}  // namespace tideline::social_graph
