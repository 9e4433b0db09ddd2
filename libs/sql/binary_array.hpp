// A one-dimensional array in PostgreSQL's binary form, built element by element: what a whole batch
// travels in, where printing a hundred thousand texts here and reading them there costs as much as
// writing the rows.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/strong.hpp"

namespace tideline::sql {

// timestamptz and date count from 2000-01-01.
inline constexpr core::Timestamp kPostgresEpoch{
    std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

class BinaryArray {
 public:
  enum class Type : std::uint32_t {  // PostgreSQL's object ids of its built-in types
    Bool = 16,
    Int8 = 20,
    Int4 = 23,
    Text = 25,
    Date = 1082,
    Timestamptz = 1184,
    Uuid = 2950,
  };

  // Of whole numbers, texts, accounts, days, times or truth values, or optionals of them: null.
  template <class T>
  static BinaryArray of(const std::vector<T>& values);

  // `count` elements follow, each of that type or null.
  BinaryArray(Type type, std::size_t count);
  void add(bool value);
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(std::string_view text);
  void add(core::Timestamp time);
  void add(core::Day day);
  void add(const core::AccountId& account);
  void add_null();
  // 36 characters, as core::make_uuid_v7() writes them.
  void add_uuid(std::string_view uuid);

  Type type() const { return type_; }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  // As the literal that PostgreSQL reads: {"1",NULL}.
  std::string literal() const;

 private:
  void append_big_endian(std::uint64_t value, std::size_t bytes);

  Type type_;
  std::string bytes_;
};

// What an array of T is made of: `kType`, and `add(array, value)`.
template <class T>
struct ArrayElement;

template <class T, BinaryArray::Type type>
struct ArrayElementAsItIs {
  static constexpr BinaryArray::Type kType = type;
  static void add(BinaryArray& array, const T& value) { array.add(value); }
};
template <>
struct ArrayElement<bool> : ArrayElementAsItIs<bool, BinaryArray::Type::Bool> {};
template <>
struct ArrayElement<core::AccountId>
    : ArrayElementAsItIs<core::AccountId, BinaryArray::Type::Uuid> {};
template <>
struct ArrayElement<core::Day> : ArrayElementAsItIs<core::Day, BinaryArray::Type::Date> {};
template <>
struct ArrayElement<core::Timestamp>
    : ArrayElementAsItIs<core::Timestamp, BinaryArray::Type::Timestamptz> {};

template <std::integral T>
struct ArrayElement<T> {
  static constexpr BinaryArray::Type kType = BinaryArray::Type::Int8;
  static void add(BinaryArray& array, T value) {
    CHECK(std::in_range<std::int64_t>(value), "a bigint holds it");
    array.add(static_cast<std::int64_t>(value));
  }
};
template <std::convertible_to<std::string_view> T>
struct ArrayElement<T> {
  static constexpr BinaryArray::Type kType = BinaryArray::Type::Text;
  static void add(BinaryArray& array, std::string_view value) { array.add(value); }
};
template <class Tag, class Rep>
struct ArrayElement<core::Strong<Tag, Rep>> {
  static constexpr BinaryArray::Type kType = ArrayElement<Rep>::kType;
  static void add(BinaryArray& array, const core::Strong<Tag, Rep>& value) {
    ArrayElement<Rep>::add(array, value.value());
  }
};
template <class T>
struct ArrayElement<std::optional<T>> {
  static constexpr BinaryArray::Type kType = ArrayElement<T>::kType;
  static void add(BinaryArray& array, const std::optional<T>& value) {
    if (value) {
      ArrayElement<T>::add(array, *value);
    } else {
      array.add_null();
    }
  }
};

template <class T>
BinaryArray BinaryArray::of(const std::vector<T>& values) {
  BinaryArray array(ArrayElement<T>::kType, values.size());
  for (const T& value : values) ArrayElement<T>::add(array, value);
  return array;
}

}  // namespace tideline::sql
