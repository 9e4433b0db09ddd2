// Strong<Tag, Rep>: a value of type Rep that cannot be mistaken for another one of the same Rep.
// Stream version, log position, Kafka offset and schema version are four different numbers; the
// compiler keeps them apart. Value type: as thread-safe as Rep.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <utility>

namespace tideline::core {

template <class Tag, class Rep>
class Strong {
 public:
  using rep = Rep;

  constexpr Strong() = default;
  constexpr explicit Strong(Rep value) : value_(std::move(value)) {}

  constexpr const Rep& value() const& { return value_; }
  // The value itself, for its storage to be used again.
  constexpr Rep value() && { return std::move(value_); }

  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
  friend constexpr bool operator==(const Strong&, const Strong&) = default;

 private:
  Rep value_{};
};

}  // namespace tideline::core

template <class Tag, class Rep>
struct std::hash<tideline::core::Strong<Tag, Rep>> {
  std::size_t operator()(const tideline::core::Strong<Tag, Rep>& strong) const {
    return std::hash<Rep>{}(strong.value());
  }
};
