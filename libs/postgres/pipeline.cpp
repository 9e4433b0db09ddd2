#include "postgres/pipeline.hpp"

#include <charconv>
#include <chrono>
#include <utility>

#include "core/check.hpp"
#include "eventsourcing/transaction.hpp"
#include "postgres/error_mapping.hpp"

namespace tideline::postgres {
namespace {

using eventsourcing::TransactionFailed;

// timestamptz counts from 2000-01-01.
constexpr core::Timestamp kPostgresEpoch{std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

int nibble_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

[[noreturn]] void fail(PGconn* connection, const PGresult* result) {
  const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message =
      result == nullptr ? PQerrorMessage(connection) : PQresultErrorMessage(result);
  throw TransactionFailed(error_of_sqlstate(state == nullptr ? "" : state, message));
}

void send(PGconn* connection, const PreparedCall& call) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  const std::vector<int> binary(call.params.size(), 1);
  for (const std::string& param : call.params) {
    values.push_back(param.data());
    lengths.push_back(static_cast<int>(param.size()));
  }
  const int count = static_cast<int>(call.params.size());
  if (PQsendQueryPrepared(connection, call.statement, count, values.data(), lengths.data(),
                          binary.data(), 0) != 1) {
    fail(connection, nullptr);
  }
}

bool succeeded(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

}  // namespace

BinaryArray::BinaryArray(Type type, std::size_t count) {
  append_big_endian(count == 0 ? 0 : 1, 4);  // dimensions
  append_big_endian(0, 4);                   // no nulls
  append_big_endian(static_cast<std::uint32_t>(type), 4);
  if (count == 0) return;
  append_big_endian(count, 4);
  append_big_endian(1, 4);  // index of the first element
}

void BinaryArray::append_big_endian(std::uint64_t value, std::size_t bytes) {
  for (std::size_t shift = bytes * 8; shift > 0; shift -= 8) {
    bytes_.push_back(static_cast<char>(value >> (shift - 8)));
  }
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

std::string_view Answer::text(std::size_t row, int column) const {
  const int index = static_cast<int>(row);
  return {PQgetvalue(result_.get(), index, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), index, column))};
}

std::int64_t Answer::integer(std::size_t row, int column) const {
  const std::string_view digits = text(row, column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  CHECK(error == std::errc() && end == digits.data() + digits.size(), "the column is an integer");
  return value;
}

std::vector<Answer> run_pipeline(PGconn* connection, std::span<const PreparedCall> calls) {
  if (PQenterPipelineMode(connection) != 1) fail(connection, nullptr);
  for (const PreparedCall& call : calls) send(connection, call);
  if (PQpipelineSync(connection) != 1) fail(connection, nullptr);

  std::vector<Answer> answers;
  std::unique_ptr<Answer> failure;
  const auto lost = [&] { return PQstatus(connection) == CONNECTION_BAD; };
  for (std::size_t i = 0; i < calls.size() && !lost(); ++i) {
    PGresult* result = PQgetResult(connection);
    if (result == nullptr) fail(connection, nullptr);
    const bool good = succeeded(result);
    Answer answer(result);
    if (!good && !failure) {
      // Before anything else asks the connection, which may forget why it was lost.
      if (lost()) fail(connection, result);
      failure = std::make_unique<Answer>(std::move(answer));
    } else {
      answers.push_back(std::move(answer));
    }
    // Each statement's answers end with a null.
    while (PGresult* more = PQgetResult(connection)) PQclear(more);
  }
  if (lost()) fail(connection, nullptr);
  PQclear(PQgetResult(connection));  // of the synchronisation
  if (PQexitPipelineMode(connection) != 1) fail(connection, nullptr);
  if (failure) fail(connection, failure->raw());
  return answers;
}

}  // namespace tideline::postgres
