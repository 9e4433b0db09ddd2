// How each type of event is stored. schemas/events describes the fields once; the build makes of
// it the structs and, for each, a specialization of Stored:
//
//   template <> struct Stored<feed::MomentLiked> {
//     static constexpr std::string_view kSource = "feed", kType = "MomentLiked";
//     static constexpr std::uint32_t kSchemaVersion = 1;
//     static constexpr Visibility kVisibility = Visibility::Public;
//     static std::string encode(const MomentLiked& event, TextSealer& sealer);      // JSON
//     static MomentLiked decode(const EventData& data, TextSealer& sealer);         // text opened
//     static MomentLiked read(const EventData& data);
//   };
//
// Namespace read of each service holds what read models see: the service's own events with their
// personal text still sealed (sealed_text), and of foreign events the fields that its contract
// names. What has no personal text is one type for both.
//
// Versions. A field that came later has in older events the value that its description gives
// (`before`). A newer version than the program knows is read like the newest one that it knows:
// versions only add fields. An unknown type is passed over by read models, which find it again in
// a rebuild; a command refuses to decide on a stream that holds one (CommandSession::load).
//
// Pure functions, callable from any thread. Reading throws PoisonEvent for data that breaks its
// description; sealing and opening throw CodecFailed.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/event_data.hpp"
#include "eventsourcing/events/text_sealer.hpp"

namespace tideline::eventsourcing {

template <class Event>
struct Stored;

// nullopt: another event.
template <class Event>
std::optional<Event> read_as(const RecordedEvent& recorded) {
  if (recorded.type != Stored<Event>::kType || recorded.source != Stored<Event>::kSource) {
    return std::nullopt;
  }
  return Stored<Event>::read(EventData(recorded));
}

namespace detail {

template <class Variant>
struct ReaderOf {
  std::string_view source;
  std::string_view type;
  Variant (*read)(const EventData& data);
};

template <class Variant>
struct Readers;
template <class... Events>
struct Readers<std::variant<Events...>> {
  using Variant = std::variant<Events...>;
  static constexpr std::array<ReaderOf<Variant>, sizeof...(Events)> kAll{ReaderOf<Variant>{
      Stored<Events>::kSource, Stored<Events>::kType,
      [](const EventData& data) -> Variant { return Stored<Events>::read(data); }}...};
};

}  // namespace detail

// The alternative that the event is; nullopt: none of them.
template <class Variant>
std::optional<Variant> read_any(const RecordedEvent& recorded) {
  for (const auto& reader : detail::Readers<Variant>::kAll) {
    if (reader.type == recorded.type && reader.source == recorded.source) {
      return reader.read(EventData(recorded));
    }
  }
  return std::nullopt;
}

// All alternatives, as "feed/MomentLiked".
template <class Variant>
std::set<std::string> types_of() {
  std::set<std::string> types;
  for (const auto& reader : detail::Readers<Variant>::kAll) {
    types.insert(std::string(reader.source) + "/" + std::string(reader.type));
  }
  return types;
}

}  // namespace tideline::eventsourcing
