// The JSON of an event, read field by field: what tolerant readers are made of. A reader asks for
// the fields that it uses and does not see the others; a field that is missing or of another kind
// is a broken contract and throws PoisonEvent, which names event and field.
//
//   const EventData data(recorded);
//   return CommentAdded{data.id("project_id"), data.account("author"), ...};
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/projection.hpp"

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
  std::optional<std::int64_t> nullable_integer(std::string_view field) const;
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
