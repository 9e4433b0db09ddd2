// The data of one event as typed fields: what the readers and codecs of this service have in
// common. Fields that nobody asks for are passed over; one that is asked for and not there, or of
// another kind, throws PoisonEvent. One thread each.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/event.hpp"

namespace tideline::accounts {

class EventData {
 public:
  // `recorded` must outlive this.
  explicit EventData(const eventsourcing::RecordedEvent& recorded);

  const std::string& text(std::string_view name) const;
  core::AccountId account(std::string_view name) const;
  core::Timestamp time(std::string_view name) const;
  core::Day day(std::string_view name) const;
  // 0 to 2^32 - 1.
  std::uint32_t number(std::string_view name) const;
  // An id that the server made: 26 characters.
  const std::string& id(std::string_view name) const;

 private:
  [[noreturn]] void broken(std::string_view name) const;
  const nlohmann::json& field(std::string_view name) const;

  const std::string& type_;
  nlohmann::json data_;
};

}  // namespace tideline::accounts
