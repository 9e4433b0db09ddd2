#include "eventsourcing/events/event_data.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/time_ordered_id.hpp"

namespace tideline::eventsourcing {

struct EventData::Json {
  nlohmann::json object;

  // nullptr: there is no such field.
  const nlohmann::json* find(std::string_view field) const {
    const auto found = object.find(field);
    return found == object.end() ? nullptr : &*found;
  }
};

EventData::EventData(const RecordedEvent& recorded)
    : EventData(recorded, std::make_unique<const Json>(
                              Json{nlohmann::json::parse(recorded.data, nullptr, false)})) {
  if (!json_->object.is_object()) {
    throw PoisonEvent(recorded.type + " whose data is not a JSON object");
  }
}

EventData::EventData(const RecordedEvent& recorded, std::unique_ptr<const Json> json)
    : recorded_(recorded), json_(std::move(json)) {}

EventData::EventData(EventData&& other) noexcept = default;
EventData::~EventData() = default;

void EventData::broken(std::string_view field) const {
  throw PoisonEvent(recorded_.type + " with no good field " + std::string(field));
}

std::string EventData::text(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || !value->is_string()) broken(field);
  return value->get<std::string>();
}

std::optional<std::string> EventData::nullable_text(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return text(field);
}

std::string EventData::id(std::string_view field) const {
  std::string value = text(field);
  if (!core::is_time_ordered_id(value)) broken(field);
  return value;
}

core::AccountId EventData::account(std::string_view field) const {
  const auto id = core::AccountId::parse(text(field));
  if (!id || *id == core::AccountId()) broken(field);  // nobody's id is all zeros
  return *id;
}

bool EventData::boolean(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || !value->is_boolean()) broken(field);
  return value->get<bool>();
}

std::int64_t EventData::integer(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || !value->is_number_integer()) broken(field);
  return value->get<std::int64_t>();
}

core::Timestamp EventData::time(std::string_view field) const {
  const auto time = core::parse_iso8601(text(field));
  if (!time) broken(field);
  return *time;
}

core::Day EventData::day(std::string_view field) const {
  const auto day = core::parse_day(text(field));
  if (!day) broken(field);
  return *day;
}

std::vector<std::string> EventData::texts(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || !value->is_array()) broken(field);
  std::vector<std::string> texts;
  texts.reserve(value->size());
  for (const auto& item : *value) {
    if (!item.is_string()) broken(field);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<core::AccountId> EventData::accounts(std::string_view field) const {
  std::vector<core::AccountId> accounts;
  for (const std::string& item : texts(field)) {
    const auto id = core::AccountId::parse(item);
    if (!id) broken(field);
    accounts.push_back(*id);
  }
  return accounts;
}

std::optional<core::AccountId> EventData::nullable_account(std::string_view field) const {
  return nullable_text(field) ? std::optional(account(field)) : std::nullopt;
}

std::int64_t EventData::integer(std::string_view field, std::int64_t min, std::int64_t max) const {
  const std::int64_t value = integer(field);
  if (value < min || value > max) broken(field);
  return value;
}

bool EventData::has(std::string_view field) const { return json_->find(field) != nullptr; }

PositionVector EventData::seen(std::uint32_t in_data_until) const {
  const bool in_data = version() <= in_data_until && has("seen");
  auto positions = PositionVector::from_token(in_data ? text("seen") : recorded_.metadata.seen);
  if (!positions) broken("seen");
  return *std::move(positions);
}

std::optional<std::int64_t> EventData::nullable_integer(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return integer(field);
}

std::vector<EventData> EventData::objects(std::string_view field) const {
  const auto* value = json_->find(field);
  if (value == nullptr || !value->is_array()) broken(field);
  std::vector<EventData> objects;
  objects.reserve(value->size());
  for (const auto& item : *value) {
    if (!item.is_object()) broken(field);
    objects.push_back(EventData(recorded_, std::make_unique<const Json>(Json{item})));
  }
  return objects;
}

}  // namespace tideline::eventsourcing
