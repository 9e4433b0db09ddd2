// What generated encoders and decoders are made of; nothing else includes it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/codec.hpp"
#include "eventsourcing/events/event_data.hpp"
#include "eventsourcing/events/poison_event.hpp"
#include "eventsourcing/events/text_sealer.hpp"

namespace tideline::eventsourcing {

inline nlohmann::json stored_value(const std::string& value) { return value; }
inline nlohmann::json stored_value(bool value) { return value; }
inline nlohmann::json stored_value(std::int64_t value) { return value; }
inline nlohmann::json stored_value(std::uint32_t value) { return value; }
inline nlohmann::json stored_value(const core::AccountId& value) { return value.to_string(); }
inline nlohmann::json stored_value(core::Timestamp value) { return core::format_iso8601(value); }
inline nlohmann::json stored_value(core::Day value) { return core::format_day(value); }
// Ids and enumerations: their text.
template <class Value>
nlohmann::json stored_value(const Value& value) {
  return std::string(to_string(value));
}
template <class Value>
nlohmann::json stored_value(const std::optional<Value>& value) {
  return value ? stored_value(*value) : nlohmann::json();
}
template <class Value>
nlohmann::json stored_value(const std::vector<Value>& values) {
  auto array = nlohmann::json::array();
  for (const Value& value : values) array.push_back(stored_value(value));
  return array;
}

inline std::string sealed_text(TextSealer& sealer, const core::AccountId& author,
                               std::string_view text, std::string_view context) {
  auto sealed = sealer.seal(author, text, context);
  if (!sealed) throw CodecFailed(sealed.error());
  return *std::move(sealed);
}

// In the order of the texts' indexes, which says nothing of what they stand for.
inline nlohmann::json index_texts(const TextSealer& sealer, const std::vector<std::string>& texts,
                                  std::string_view context) {
  std::set<std::string> indexes;
  for (const std::string& text : texts) indexes.insert(sealer.index(text, context));
  return indexes;
}

// Of a text that an older event has in clear.
inline std::string unsealed(std::string_view text) { return std::string(kUnsealed).append(text); }

// "" when the author's key has been destroyed or lost.
inline std::string opened_text(TextSealer& sealer, const core::AccountId& author,
                               std::string_view sealed, std::string_view context) {
  auto opened = sealer.open(author, sealed, context);
  if (!opened) throw CodecFailed(opened.error());
  return std::move(*opened).value_or("");
}

// Of a text that was opened; "" gives an empty object.
template <class Object>
Object opened_object(const std::string& text, std::optional<Object> (*parse)(std::string_view)) {
  if (text.empty()) return {};
  auto object = parse(text);
  if (!object) throw CodecFailed(core::internal_error("a sealed text that holds something else"));
  return *std::move(object);
}

// nullopt for a text that `read` refuses.
template <class Object, class Read>
std::optional<Object> read_object(std::string_view text, const Read& read) {
  RecordedEvent holder;
  holder.data = text;
  try {
    return read(EventData(holder));
  } catch (const PoisonEvent&) {
    return std::nullopt;
  }
}

}  // namespace tideline::eventsourcing
