// The rows of one answer in PostgreSQL's binary format: for reads of many rows, where printing them
// there and reading them as text here costs more than the rest. Movable, not copyable.
//
// The one that asks for a column as something else than its type has a bug (CHECK). No column is
// null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/clock.hpp"

struct pg_result;

namespace tideline::postgres {

class BinaryRows {
 public:
  // Takes the answer over.
  explicit BinaryRows(pg_result* result) : result_(result) {}

  std::size_t size() const;
  std::string_view text(std::size_t row, int column) const;  // of this object's memory
  std::int64_t integer(std::size_t row, int column) const;   // int or bigint
  bool boolean(std::size_t row, int column) const;
  core::Timestamp timestamp(std::size_t row, int column) const;  // timestamptz
  // As text, 36 characters, into a string whose storage is used again.
  void read_uuid(std::size_t row, int column, std::string& uuid) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace tideline::postgres
