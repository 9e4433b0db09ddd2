#include "postgres/connections/pipeline.hpp"

#include <utility>

#include "postgres/connections/libpq_result.hpp"

namespace tideline::postgres {
namespace {

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

}  // namespace

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
