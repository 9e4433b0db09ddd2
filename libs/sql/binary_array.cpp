#include "sql/binary_array.hpp"

#include <endian.h>

#include <chrono>

#include "core/check.hpp"

namespace tideline::sql {
namespace {

constexpr std::size_t kHeaderBytes = 20;  // of an array that is not empty
constexpr std::size_t kNullsFlag = 7;     // its last byte
constexpr std::uint32_t kNull = 0xffff'ffffU;

int nibble_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

std::int64_t signed_of(std::string_view big_endian) {
  std::uint64_t value = 0;
  for (const char byte : big_endian) value = value << 8U | static_cast<unsigned char>(byte);
  return big_endian.size() == 4 ? static_cast<std::int32_t>(value)
                                : static_cast<std::int64_t>(value);
}

std::string text_of(BinaryArray::Type type, std::string_view element) {
  using Type = BinaryArray::Type;
  switch (type) {
    case Type::Bool:
      return element.front() != 0 ? "true" : "false";
    case Type::Int4:
    case Type::Int8:
      return std::to_string(signed_of(element));
    case Type::Text:
      return std::string(element);
    case Type::Date:
      return core::format_day(std::chrono::floor<std::chrono::days>(kPostgresEpoch) +
                              std::chrono::days(signed_of(element)));
    case Type::Timestamptz:
      return core::format_iso8601(kPostgresEpoch + std::chrono::microseconds(signed_of(element)));
    case Type::Uuid: {
      core::AccountId::Bytes bytes{};
      element.copy(reinterpret_cast<char*>(bytes.data()), bytes.size());
      return core::AccountId(bytes).to_uuid();
    }
  }
  CHECK(false, "a type that has no text");
}

}  // namespace

BinaryArray::BinaryArray(Type type, std::size_t count) : type_(type) {
  bytes_.reserve(kHeaderBytes + count * (type == Type::Uuid ? 20 : 12));
  append_big_endian(count == 0 ? 0 : 1, 4);  // dimensions
  append_big_endian(0, 4);                   // no nulls
  append_big_endian(static_cast<std::uint32_t>(type), 4);
  if (count == 0) return;
  append_big_endian(count, 4);
  append_big_endian(1, 4);  // index of the first element
}

void BinaryArray::append_big_endian(std::uint64_t value, std::size_t bytes) {
  const std::uint64_t leading = htobe64(value << (64 - bytes * 8));
  bytes_.append(reinterpret_cast<const char*>(&leading), bytes);
}

void BinaryArray::add(bool value) {
  append_big_endian(1, 4);
  bytes_.push_back(value ? '\1' : '\0');
}

void BinaryArray::add(std::int32_t value) {
  append_big_endian(4, 4);
  append_big_endian(static_cast<std::uint32_t>(value), 4);
}

void BinaryArray::add(std::int64_t value) {
  append_big_endian(8, 4);
  append_big_endian(static_cast<std::uint64_t>(value), 8);
}

void BinaryArray::add(std::string_view text) {
  append_big_endian(text.size(), 4);
  bytes_.append(text);
}

void BinaryArray::add(core::Timestamp time) {
  add(static_cast<std::int64_t>((time - kPostgresEpoch).count()));
}

void BinaryArray::add(core::Day day) {
  const auto days = day - std::chrono::floor<std::chrono::days>(kPostgresEpoch);
  add(static_cast<std::int32_t>(days.count()));
}

void BinaryArray::add(const core::AccountId& account) {
  append_big_endian(account.bytes().size(), 4);
  bytes_.append(reinterpret_cast<const char*>(account.bytes().data()), account.bytes().size());
}

void BinaryArray::add_null() {
  bytes_[kNullsFlag] = '\1';
  append_big_endian(kNull, 4);
}

void BinaryArray::add_uuid(std::string_view uuid) {
  append_big_endian(16, 4);
  int high = -1;
  std::size_t written = 0;
  for (const char digit : uuid) {
    if (digit == '-') continue;
    const int nibble = nibble_of(digit);
    CHECK(nibble >= 0, "a UUID is made of hexadecimal digits");
    if (high < 0) {
      high = nibble;
      continue;
    }
    bytes_.push_back(static_cast<char>(high * 16 + nibble));
    ++written;
    high = -1;
  }
  CHECK(written == 16 && high < 0, "a UUID has 32 digits");
}

std::string BinaryArray::literal() const {
  std::string literal = "{";
  std::string_view left = bytes_;
  left.remove_prefix(std::min(left.size(), kHeaderBytes));
  while (!left.empty()) {
    if (literal.size() > 1) literal.push_back(',');
    const std::int64_t length = signed_of(left.substr(0, 4));
    left.remove_prefix(4);
    if (length < 0) {
      literal.append("NULL");
      continue;
    }
    const auto size = static_cast<std::size_t>(length);
    literal.push_back('"');
    for (const char letter : text_of(type_, left.substr(0, size))) {
      if (letter == '"' || letter == '\\') literal.push_back('\\');
      literal.push_back(letter);
    }
    literal.push_back('"');
    left.remove_prefix(size);
  }
  return literal + "}";
}

}  // namespace tideline::sql
