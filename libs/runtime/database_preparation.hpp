// The tables of a service before it starts: reached, and as its program needs them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "postgres/connections/database.hpp"
#include "postgres/migrations/migrations.hpp"

namespace tideline::runtime {

// TIDELINE_MIGRATIONS.
enum class Migrations {
  Run,    // by each process at its start; one of them does it
  Await,  // by `tideline-<service> migrate` before a roll; who starts waits for it
};

struct PreparedDatabase {
  postgres::PooledDatabase* database;
  std::vector<postgres::MigrationSet> sets;
};

// Blocks: for a minute at most until a database answers, and with Await until its steps have run.
// An error when it does not answer, or ran what this program cannot go on over. `log`: level, text;
// on this thread.
core::Status prepare_databases(
    const std::vector<PreparedDatabase>& databases, Migrations migrations,
    const std::function<void(std::string_view, const std::string&)>& log);

}  // namespace tideline::runtime
