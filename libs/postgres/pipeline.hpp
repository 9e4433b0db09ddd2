// Prepared statements sent together in libpq's pipeline mode, with binary parameters: one round
// trip for all, nothing quoted, nothing parsed from text on the other side. For the hot path of the
// event store; everything else goes through Session::execute().
#pragma once

#include <libpq-fe.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "postgres/binary_rows.hpp"

namespace tideline::postgres {

// The binary form of a one-dimensional array without nulls, built element by element. Every element
// must be of the type that the array was begun with.
class BinaryArray {
 public:
  enum class Type : std::uint32_t {  // PostgreSQL's object ids of its built-in types
    Bool = 16,
    Int8 = 20,
    Int4 = 23,
    Text = 25,
    Timestamptz = 1184,
    Uuid = 2950,
  };

  BinaryArray(Type type, std::size_t count);
  void add(bool value);
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(std::string_view text);
  void add(core::Timestamp time);
  // 36 characters, as core::make_uuid_v7() writes them.
  void add_uuid(std::string_view uuid);
  std::string take() { return std::move(bytes_); }

 private:
  void append_big_endian(std::uint64_t value, std::size_t bytes);

  std::string bytes_;
};

struct PreparedCall {
  const char* statement;            // a name that Session::prepare() was given
  std::vector<std::string> params;  // in binary form
};

// Runs the calls and waits for all answers. Throws TransactionFailed for the first that failed;
// what came after it has had no effect. The connection is ready again unless it is lost.
std::vector<BinaryRows> run_pipeline(PGconn* connection, std::span<const PreparedCall> calls);

}  // namespace tideline::postgres
