#include "runtime/database_preparation.hpp"

#include <chrono>
#include <thread>

namespace tideline::runtime {
namespace {

constexpr std::chrono::seconds kDatabaseWait{60};
constexpr std::chrono::milliseconds kRetryPause{500};

using LogLine = std::function<void(std::string_view, const std::string&)>;

core::Status reach(postgres::PooledDatabase& database, const LogLine& log) {
  const auto give_up = std::chrono::steady_clock::now() + kDatabaseWait;
  auto reached = database.ping();
  while (!reached && std::chrono::steady_clock::now() < give_up) {
    log("warning", "waiting for the database: " + reached.error().message);
    std::this_thread::sleep_for(kRetryPause);
    reached = database.ping();
  }
  return reached;
}

core::Status await_migrations(const PreparedDatabase& prepared, const LogLine& log) {
  bool told = false;
  for (;;) {
    const auto done = postgres::is_migrated(prepared.database->options(), prepared.sets);
    if (!done && !done.error().retryable) return done.error();
    if (done && *done) return core::success();
    if (!told) {
      log("warning", done ? "waiting for this version's migrations to be run"
                          : "waiting for the database: " + done.error().message);
    }
    told = done.ok();
    std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace

core::Status prepare_databases(const std::vector<PreparedDatabase>& databases,
                               Migrations migrations, const LogLine& log) {
  for (const PreparedDatabase& prepared : databases) {
    core::Status done = reach(*prepared.database, log);
    if (done) {
      done = migrations == Migrations::Await
                 ? await_migrations(prepared, log)
                 : postgres::migrate(prepared.database->options(), prepared.sets);
    }
    if (!done) return done;
  }
  return core::success();
}

}  // namespace tideline::runtime
