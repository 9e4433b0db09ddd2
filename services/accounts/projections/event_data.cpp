#include "accounts/projections/event_data.hpp"

#include <limits>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/projection.hpp"

namespace tideline::accounts {

using eventsourcing::PoisonEvent;

EventData::EventData(const eventsourcing::RecordedEvent& recorded)
    : type_(recorded.type), data_(nlohmann::json::parse(recorded.data, nullptr, false)) {
  if (!data_.is_object()) throw PoisonEvent(type_ + " without a JSON object");
}

const std::string& EventData::text(std::string_view name) const {
  const auto& value = field(name);
  if (!value.is_string()) broken(name);
  return value.get_ref<const std::string&>();
}

core::AccountId EventData::account(std::string_view name) const {
  const auto id = core::AccountId::parse(text(name));
  if (!id) broken(name);
  return *id;
}

core::Timestamp EventData::time(std::string_view name) const {
  const auto time = core::parse_iso8601(text(name));
  if (!time) broken(name);
  return *time;
}

core::Day EventData::day(std::string_view name) const {
  const auto day = core::parse_day(text(name));
  if (!day) broken(name);
  return *day;
}

std::uint32_t EventData::number(std::string_view name) const {
  const auto& value = field(name);
  if (!value.is_number_unsigned()) broken(name);
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<std::uint32_t>::max()) broken(name);
  return static_cast<std::uint32_t>(number);
}

const std::string& EventData::id(std::string_view name) const {
  const std::string& id = text(name);
  if (!core::is_time_ordered_id(id)) broken(name);
  return id;
}

void EventData::broken(std::string_view name) const {
  throw PoisonEvent(type_ + " with no good field " + std::string(name));
}

const nlohmann::json& EventData::field(std::string_view name) const {
  const auto found = data_.find(name);
  if (found == data_.end()) broken(name);
  return *found;
}

}  // namespace tideline::accounts
