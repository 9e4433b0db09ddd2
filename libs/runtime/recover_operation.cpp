#include "runtime/recover_operation.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "kafka/consumer.hpp"
#include "postgres/recovery/log_recovery.hpp"
#include "runtime/composition.hpp"

namespace tideline::runtime {
namespace {

int failed(const std::string& why) {
  std::fprintf(stderr, "recover: %s\n", why.c_str());
  return 1;
}

// Of one database that holds logs.
class Recovered {
 public:
  Recovered(const RunningService& service, const postgres::DatabaseOptions& options,
            std::vector<core::LogIndex> logs)
      : service_(service),
        logs_(std::move(logs)),
        checkpoints_(options),
        database_(without_time_limit(options)) {}

  core::Status run(const std::stop_token& stop) {
    // As a relay would: who serves or publishes holds some of them.
    for (const core::LogIndex log : logs_) {
      const auto claimed = checkpoints_.claim(log);
      if (!claimed) return claimed.error();
      if (!*claimed) return core::unavailable("the service runs: stop it first");
    }
    kafka::KafkaRecordSource topic(consumer());
    const auto recovered = postgres::recover_logs(database_, topic, {.logs = logs_}, stop);
    if (!recovered) return recovered.error();
    for (const postgres::RecoveredLog& log : *recovered) print(log);
    return core::success();
  }

 private:
  static postgres::DatabaseOptions without_time_limit(postgres::DatabaseOptions options) {
    options.statement_timeout = std::chrono::milliseconds(0);
    options.idle_in_transaction_timeout = std::chrono::milliseconds(0);
    return options;
  }

  kafka::ConsumerOptions consumer() const {
    const CommonSettings& settings = service_.settings();
    kafka::ConsumerOptions options;
    options.brokers = settings.kafka_brokers;
    options.services = {service_.definition().name};
    options.logs = settings.logs;
    options.client_id = "tideline-" + service_.definition().name + "-recover";
    return options;
  }

  static void print(const postgres::RecoveredLog& log) {
    const nlohmann::json line{{"log", log.log.value()},       {"agreed", log.agreed.value()},
                              {"taken_back", log.taken_back}, {"without_data", log.without_data},
                              {"moved", log.moved},           {"set_aside", log.set_aside}};
    std::printf("%s\n", line.dump().c_str());
  }

  const RunningService& service_;
  const std::vector<core::LogIndex> logs_;
  postgres::PostgresRelayCheckpoints checkpoints_;
  postgres::PooledDatabase database_;
};

int operate(const RunningService& service, const std::stop_token& stop) {
  const postgres::LogDatabases databases = service.log_databases();
  for (std::size_t index = 0; index < databases.count(); ++index) {
    std::vector<core::LogIndex> logs;
    for (std::uint32_t log = 0; log < databases.logs(); ++log) {
      if (databases.index_of(core::LogIndex(log)) == index) logs.emplace_back(log);
    }
    const auto done = Recovered(service, databases.at(index).options(), std::move(logs)).run(stop);
    if (!done) return failed(done.error().message);
  }
  std::fprintf(stderr, "recover: the logs have all that the topic has\n");
  return 0;
}

}  // namespace

Operation recover_operation() {
  return {"recover",
          "take back from the topic what a restored database lacks; the service does not run",
          [](CLI::App&) -> Operation::Run {
            return [](RunningService& service, const std::stop_token& stop) {
              return operate(service, stop);
            };
          }};
}

}  // namespace tideline::runtime
