#include "postgres/connections/binary_rows.hpp"

#include <libpq-fe.h>

#include <chrono>

#include "core/check.hpp"
#include "sql/binary_array.hpp"

namespace tideline::postgres {
void BinaryRows::Clear::operator()(pg_result* result) const { PQclear(result); }

std::size_t BinaryRows::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }

std::string_view BinaryRows::text(std::size_t row, int column) const {
  const int index = static_cast<int>(row);
  return {PQgetvalue(result_.get(), index, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), index, column))};
}

std::int64_t BinaryRows::integer(std::size_t row, int column) const {
  const std::string_view bytes = text(row, column);
  CHECK(bytes.size() == 4 || bytes.size() == 8, "the column is an integer");
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  if (bytes.size() == 8) return static_cast<std::int64_t>(value);
  return static_cast<std::int32_t>(value);
}

bool BinaryRows::boolean(std::size_t row, int column) const {
  const std::string_view bytes = text(row, column);
  CHECK(bytes.size() == 1, "the column is a boolean");
  return bytes.front() != 0;
}

core::Timestamp BinaryRows::timestamp(std::size_t row, int column) const {
  return sql::kPostgresEpoch + std::chrono::microseconds(integer(row, column));
}

void BinaryRows::read_uuid(std::size_t row, int column, std::string& uuid) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::string_view bytes = text(row, column);
  CHECK(bytes.size() == 16, "the column is a UUID");
  uuid.clear();
  uuid.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid.push_back('-');
    const auto byte = static_cast<unsigned char>(bytes[i]);
    uuid.push_back(kDigits[byte >> 4]);
    uuid.push_back(kDigits[byte & 15]);
  }
}

}  // namespace tideline::postgres
