// The JSON of an event, read field by field: what tolerant readers are made of. A reader asks for
// the fields that it uses and does not see the others; a field that is missing or of another kind
// is a broken contract and throws PoisonEvent, which names event and field. The readers themselves
// are made by the build (eventsourcing/events/stored.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/poison_event.hpp"
#include "eventsourcing/events/position_vector.hpp"

namespace tideline::eventsourcing {

class EventData {
 public:
  // `recorded` must outlive this.
  explicit EventData(const RecordedEvent& recorded);
  ~EventData();
  EventData(EventData&& other) noexcept;
  EventData(const EventData&) = delete;
  EventData& operator=(const EventData&) = delete;

  std::string text(std::string_view field) const;
  std::optional<std::string> nullable_text(std::string_view field) const;
  // An id that the server made: checked, since streams and rows are named by it.
  std::string id(std::string_view field) const;
  core::AccountId account(std::string_view field) const;
  bool boolean(std::string_view field) const;
  std::int64_t integer(std::string_view field) const;
  core::Timestamp time(std::string_view field) const;
  core::Day day(std::string_view field) const;
  std::vector<std::string> texts(std::string_view field) const;
  std::vector<core::AccountId> accounts(std::string_view field) const;
  std::optional<core::AccountId> nullable_account(std::string_view field) const;
  std::optional<std::int64_t> nullable_integer(std::string_view field) const;
  std::int64_t integer(std::string_view field, std::int64_t min, std::int64_t max) const;

  // Of a text that `parse` understands: parse(std::string_view) gives an optional.
  template <class Parse>
  auto parsed(std::string_view field, const Parse& parse) const {
    auto value = parse(std::string_view(text(field)));
    if (!value) broken(field);
    return *std::move(value);
  }
  template <class Parse>
  auto nullable_parsed(std::string_view field, const Parse& parse) const {
    const auto value = nullable_text(field);
    return value ? std::optional(parsed(field, parse)) : std::nullopt;
  }
  template <class Parse>
  auto parsed_list(std::string_view field, const Parse& parse) const {
    std::vector<typename decltype(parse(std::string_view()))::value_type> values;
    for (const std::string& item : texts(field)) {
      auto value = parse(std::string_view(item));
      if (!value) broken(field);
      values.push_back(*std::move(value));
    }
    return values;
  }
  template <class Parse>
  auto parsed_number(std::string_view field, const Parse& parse) const {
    auto value = parse(integer(field));
    if (!value) broken(field);
    return *std::move(value);
  }

  bool has(std::string_view field) const;
  // Of the event's data.
  std::uint32_t version() const { return recorded_.schema_version.value(); }
  // What the writer had seen (Metadata::seen). Up to the version `in_data_until` the data may hold
  // it, as its field `seen`.
  PositionVector seen(std::uint32_t in_data_until) const;
  // Each read in the same way.
  std::vector<EventData> objects(std::string_view field) const;

 private:
  struct Json;
  EventData(const RecordedEvent& recorded, std::unique_ptr<const Json> json);
  [[noreturn]] void broken(std::string_view field) const;

  const RecordedEvent& recorded_;
  std::unique_ptr<const Json> json_;
};

}  // namespace tideline::eventsourcing
