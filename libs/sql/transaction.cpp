#include "sql/transaction.hpp"

#include <array>
#include <charconv>

#include "core/check.hpp"

namespace tideline::sql {

Param::Param(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  CHECK(error == std::errc(), "32 characters hold every double");
  sent_ = std::string(text.data(), end);
}

std::optional<std::string> Param::text() const {
  if (const auto* array = std::get_if<BinaryArray>(&sent_)) return array->literal();
  if (const auto* text = std::get_if<std::string>(&sent_)) return *text;
  return std::nullopt;
}

const std::string& Row::text(std::size_t column) const {
  const auto& value = columns_.at(column);
  CHECK(value.has_value(), "a column that may be NULL is read with nullable_text");
  return *value;
}

std::int64_t Row::integer(std::size_t column) const {
  const std::string& digits = text(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  CHECK(error == std::errc() && end == digits.data() + digits.size(), "not an integer column");
  return value;
}

bool Row::boolean(std::size_t column) const { return text(column) == "t"; }

core::AccountId Row::account(std::size_t column) const {
  const auto id = core::AccountId::parse_uuid(text(column));
  CHECK(id.has_value(), "not a uuid column");
  return *id;
}

core::Day Row::day(std::size_t column) const {
  const auto day = core::parse_day(text(column));
  CHECK(day.has_value(), "not a date column");
  return *day;
}

core::Timestamp Row::timestamp_us(std::size_t column) const {
  return core::Timestamp(std::chrono::microseconds(integer(column)));
}

std::vector<std::string> Row::text_array(std::size_t column) const {
  const std::string& literal = text(column);
  CHECK(literal.size() >= 2 && literal.front() == '{' && literal.back() == '}',
        "not an array column");
  std::vector<std::string> items;
  std::string item;
  bool quoted = false;
  bool any = false;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    const char letter = literal[i];
    any = true;
    if (letter == '\\') {
      item.push_back(literal[++i]);
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (letter == ',' && !quoted) {
      items.push_back(std::move(item));
      item.clear();
    } else {
      item.push_back(letter);
    }
  }
  if (any) items.push_back(std::move(item));
  return items;
}

}  // namespace tideline::sql
