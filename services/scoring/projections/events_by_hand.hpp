// The events whose form in C++ is more than their fields: a rating's subject, and sets of rules.
// Everything else of schemas/events/scoring.yaml is made by the build.
#pragma once

#include "scoring/domain/rating.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/stored_events.hpp"

namespace tideline::eventsourcing {

template <>
struct Stored<scoring::Rated> {
  static constexpr std::string_view kSource = "scoring";
  static constexpr std::string_view kType = "Rated";
  static constexpr std::uint32_t kSchemaVersion = 1;
  static constexpr Visibility kVisibility = Visibility::Public;
  static std::string encode(const scoring::Rated& event, TextSealer&);
  static scoring::Rated decode(const EventData& data, TextSealer&) { return read(data); }
  static scoring::Rated read(const EventData& data);
};

template <>
struct Stored<scoring::RulesChanged> {
  static constexpr std::string_view kSource = "scoring";
  static constexpr std::string_view kType = "RulesChanged";
  static constexpr std::uint32_t kSchemaVersion = 1;
  static constexpr Visibility kVisibility = Visibility::Public;
  static std::string encode(const scoring::RulesChanged& event, TextSealer&);
  static scoring::RulesChanged decode(const EventData& data, TextSealer&) { return read(data); }
  static scoring::RulesChanged read(const EventData& data);
};

template <>
struct Stored<scoring::RuleDaysSettled> {
  static constexpr std::string_view kSource = "scoring";
  static constexpr std::string_view kType = "RuleDaysSettled";
  static constexpr std::uint32_t kSchemaVersion = 1;
  static constexpr Visibility kVisibility = Visibility::Public;
  static std::string encode(const scoring::RuleDaysSettled& event, TextSealer&);
  static scoring::RuleDaysSettled decode(const EventData& data, TextSealer&) { return read(data); }
  static scoring::RuleDaysSettled read(const EventData& data);
};

}  // namespace tideline::eventsourcing
