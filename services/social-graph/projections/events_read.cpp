#include "social-graph/projections/events_read.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/time_ordered_id.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::PoisonEvent;
using eventsourcing::RecordedEvent;
using nlohmann::json;

class EventData {
 public:
  explicit EventData(const RecordedEvent& recorded)
      : type_(recorded.type), data_(json::parse(recorded.data, nullptr, false)) {
    if (!data_.is_object()) throw PoisonEvent(type_ + " without a JSON object");
  }

  core::AccountId account(std::string_view name) const {
    const auto id = core::AccountId::parse(string(name));
    if (!id) broken(name);
    return *id;
  }
  std::string text(std::string_view name) const { return string(name); }
  // A tag or group id: checked, since streams and rows are named by it.
  std::string id(std::string_view name) const {
    if (!core::is_time_ordered_id(string(name))) broken(name);
    return string(name);
  }
  bool boolean(std::string_view name) const {
    const json& value = field(name);
    if (!value.is_boolean()) broken(name);
    return value.get<bool>();
  }
  std::int64_t integer(std::string_view name) const {
    const json& value = field(name);
    if (!value.is_number_integer()) broken(name);
    return value.get<std::int64_t>();
  }

 private:
  [[noreturn]] void broken(std::string_view name) const {
    throw PoisonEvent(type_ + " with no good field " + std::string(name));
  }
  const json& field(std::string_view name) const {
    const auto found = data_.find(name);
    if (found == data_.end()) broken(name);
    return *found;
  }
  const std::string& string(std::string_view name) const {
    const json& value = field(name);
    if (!value.is_string()) broken(name);
    return value.get_ref<const std::string&>();
  }

  const std::string& type_;
  json data_;
};

}  // namespace

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
