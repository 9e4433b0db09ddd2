#include "postgres/pipeline.hpp"

#include <endian.h>

#include <utility>

#include "core/check.hpp"
#include "postgres/libpq_result.hpp"

namespace tideline::postgres {
namespace {

int nibble_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

void send(PGconn* connection, const PreparedCall& call) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  constexpr int kBinary = 1;
  const std::vector<int> binary(call.params.size(), kBinary);
  for (const std::string& param : call.params) {
    values.push_back(param.data());
    lengths.push_back(static_cast<int>(param.size()));
  }
  const int count = static_cast<int>(call.params.size());
  if (PQsendQueryPrepared(connection, call.statement, count, values.data(), lengths.data(),
                          binary.data(), kBinary) != 1) {
    throw_failure(connection, nullptr);
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

std::vector<BinaryRows> run_pipeline(PGconn* connection, std::span<const PreparedCall> calls) {
  if (PQenterPipelineMode(connection) != 1) throw_failure(connection, nullptr);
  for (const PreparedCall& call : calls) send(connection, call);
  if (PQpipelineSync(connection) != 1) throw_failure(connection, nullptr);

  std::vector<BinaryRows> answers;
  ResultPointer failure;
  const auto lost = [&] { return PQstatus(connection) == CONNECTION_BAD; };
  for (std::size_t i = 0; i < calls.size() && !lost(); ++i) {
    ResultPointer result(PQgetResult(connection));
    if (!result) throw_failure(connection, nullptr);
    if (succeeded(result.get())) {
      answers.emplace_back(result.release());
    } else if (!failure) {
      // Before anything else asks the connection, which may forget why it was lost.
      if (lost()) throw_failure(connection, result.get());
      failure = std::move(result);
    }
    // Each statement's answers end with a null.
    while (ResultPointer more{PQgetResult(connection)}) more.reset();
  }
  if (lost()) throw_failure(connection, nullptr);
  ResultPointer(PQgetResult(connection)).reset();  // of the synchronisation
  if (PQexitPipelineMode(connection) != 1) throw_failure(connection, nullptr);
  if (failure) throw_failure(connection, failure.get());
  return answers;
}

}  // namespace tideline::postgres
