#include "runtime/rebuild_operation.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "kafka/consumer.hpp"
#include "postgres/connections/session_lock.hpp"
#include "projections/rebuild/rebuild.hpp"
#include "runtime/composition.hpp"

namespace tideline::runtime {
namespace {

using eventsourcing::Projection;
using nlohmann::json;
using projections::RebuildReport;

// One holds locks, one writes the copy, one compares, one runs the copy's projection.
constexpr std::size_t kConnections = 4;

struct Wanted {
  std::string projection;
  bool all = false;
  bool list = false;
  bool verify = false;
  bool allow_difference = false;
  bool abandon = false;
};

void tell(const std::string& projection, const std::string& text) {
  std::fprintf(stderr, "rebuild %s: %s\n", projection.c_str(), text.c_str());
}

void print(const json& object) {
  std::printf("%s\n", object.dump().c_str());
  std::fflush(stdout);
}

json to_json(const std::string& projection, const RebuildReport& report) {
  json tables = json::array();
  for (const auto& table : report.comparison.tables) {
    tables.push_back({{"table", table.table},
                      {"rows_old", table.rows_old},
                      {"rows_new", table.rows_new},
                      {"equal", table.equal}});
  }
  const bool compared = !tables.empty();
  return {{"projection", projection},
          {"events", report.events},
          {"seconds", report.seconds},
          {"events_per_s", report.events_per_s},
          {"digest_old", report.comparison.digest_old},
          {"digest_new", report.comparison.digest_new},
          {"equal", compared && report.comparison.equal},
          {"switched", report.switched},
          {"tables", std::move(tables)},
          {"finding", report.finding}};
}

class Rebuilds {
 public:
  Rebuilds(RunningService& service, const Wanted& wanted, std::stop_token stop)
      : service_(service), wanted_(wanted), stop_(std::move(stop)), database_(pool_of(service)) {}

  int run() {
    if (wanted_.list) return list();
    bool good = true;
    bool found = wanted_.all;
    for (Projection* projection : service_.projections()) {
      const std::string name(projection->name());
      if (!wanted_.all && name != wanted_.projection) continue;
      found = true;
      if (projection->tables().empty()) {
        tell(name, projection->durable() ? "has no tables" : "is built anew at every start");
        good = good && wanted_.all;
      } else if (!stop_.stop_requested()) {
        good = rebuild(*projection, name) && good;
      }
    }
    if (!found) tell(wanted_.projection, "this service has no projection of that name");
    return found && good && !stop_.stop_requested() ? 0 : 1;
  }

 private:
  static postgres::DatabaseOptions pool_of(RunningService& service) {
    postgres::DatabaseOptions options = service.postgres_options();
    options.connections_max = kConnections;
    options.statement_timeout = std::chrono::milliseconds(0);  // tables may be large
    return options;
  }

  int list() {
    bool read_all = true;
    for (const Projection* projection : service_.projections()) {
      const postgres::rebuild::Names names(projection->name(), projection->tables());
      const auto copied = database_.read([&](sql::Transaction& transaction) {
        std::uint64_t events = 0;
        for (const auto& place : postgres::rebuild::places(transaction, names.copy, false)) {
          events += place.position.value();
        }
        return events;
      });
      if (!copied) tell(names.live, copied.error().message);
      read_all = read_all && copied.ok();
      const char* lives = !projection->durable() ? "in memory, built anew at every start"
                          : names.tables.empty() ? "elsewhere"
                                                 : "in tables";
      print({{"projection", names.live},
             {"sources", projection->sources()},
             {"lives", lives},
             {"tables", names.tables},
             {"events_in_copy", copied ? *copied : 0}});
    }
    return read_all ? 0 : 1;
  }

  bool rebuild(Projection& projection, const std::string& name) {
    const auto lock = postgres::SessionLock::take(database_.options(), "rebuild " + name);
    if (!lock || !*lock) {
      tell(name, lock ? "another process rebuilds it just now" : lock.error().message);
      return false;
    }
    if (wanted_.abandon) {
      if (const auto gone = projections::abandon_rebuild(database_, projection); !gone) {
        tell(name, gone.error().message);
        return false;
      }
      tell(name, "what was built is thrown away");
      return true;
    }
    projections::Rebuild work(projection, ports_of(projection, name), options());
    const auto report = work.run(stop_);
    if (!report) {
      tell(name, report.error().message);
      return false;
    }
    if (!report->finding.empty()) tell(name, report->finding);
    print(to_json(name, *report));
    return report->finding.empty();
  }

  projections::RebuildOptions options() const {
    std::string steps;
    for (const auto& set : service_.model_migrations()) {
      for (const auto& step : set.migrations) steps += step.sql;
    }
    projections::RebuildOptions options;
    options.logs = service_.settings().logs;
    options.mark = "tideline-" + service_.definition().name + " " + service_.definition().version +
                   ", migrations " + std::to_string(std::hash<std::string>{}(steps));
    options.verify_only = wanted_.verify;
    options.allow_difference = wanted_.allow_difference;
    return options;
  }

  projections::RebuildPorts ports_of(const Projection& projection, const std::string& name) {
    const auto show = [name](const projections::RebuildProgress& progress) {
      const auto percent = progress.total == 0 ? 0 : progress.done * 100 / progress.total;
      tell(name, std::to_string(progress.done) + "/" + std::to_string(progress.total) +
                     " events (" + std::to_string(percent) + "%), " +
                     std::to_string(static_cast<std::uint64_t>(progress.events_per_s)) + "/s, " +
                     std::to_string(progress.left.count()) + " s left" +
                     (progress.problem.empty() ? "" : "; " + progress.problem));
    };
    return {.database = database_,
            .make_schema =
                [this](const std::string& schema, const std::string& mark) {
                  return postgres::migrate_into_schema(database_.options(), schema, mark,
                                                       service_.model_migrations());
                },
            .open_source = [this, &projection]() -> std::unique_ptr<eventsourcing::RecordSource> {
              return std::make_unique<kafka::KafkaRecordSource>(service_.lone_consumer(projection));
            },
            .report_gap =
                [this](const eventsourcing::SourcePartition& partition,
                       core::LogPosition position) { service_.gaps().report(partition, position); },
            .log = service_.log_lines("rebuild"),
            .progress = show};
  }

  RunningService& service_;
  const Wanted& wanted_;
  const std::stop_token stop_;
  postgres::PooledDatabase database_;
};

}  // namespace

Operation rebuild_operation() {
  const auto declare = [](CLI::App& command) -> Operation::Run {
    const auto wanted = std::make_shared<Wanted>();
    auto* one = command.add_option("PROJECTION", wanted->projection, "the projection to rebuild");
    auto* all = command.add_flag("--all", wanted->all, "every projection that has tables");
    auto* list = command.add_flag("--list", wanted->list, "say what there is, and do nothing");
    auto* verify = command.add_flag("--verify", wanted->verify,
                                    "build, compare and throw the copy away; 1 if it differs");
    command
        .add_flag("--allow-difference", wanted->allow_difference,
                  "switch although the tables differ: the projection was changed")
        ->excludes(verify);
    command.add_flag("--abandon", wanted->abandon, "throw away what an earlier run has built")
        ->excludes(verify);
    one->excludes(all)->excludes(list);
    all->excludes(list);
    command.callback([wanted] {
      if (wanted->projection.empty() && !wanted->all && !wanted->list) {
        throw CLI::RequiredError("PROJECTION, --all or --list");
      }
    });
    return [wanted](RunningService& service, std::stop_token stop) {
      return Rebuilds(service, *wanted, std::move(stop)).run();
    };
  };
  return {"rebuild", "build the tables of projections anew while the service serves", declare};
}

}  // namespace tideline::runtime
