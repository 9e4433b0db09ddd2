// The tables of a service, built step by step. Each step is SQL that runs once, in a transaction of
// its own, and is recorded in `schema_migration` with a checksum: a step that was changed after it
// ran is an error that stops the start.
//
// The steps of a service are the files services/<name>/migrations/NNN_name.sql; the build compiles
// them into the binary (cmake/EmbedSql.cmake) as `tideline::<name>::migrations()`, declared in the
// generated header "<name>/migrations.hpp".
//
// Programs of two releases run over the same tables, during a roll and after a rollback
// (docs/adr/0050). So a step only adds; one that takes away what older programs use begins with the
// line "-- contracts: N", N being how many steps of its set a program must know to go on. Steps
// that a program does not know stop it only where it knows fewer than that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

struct Migration {
  int id = 0;  // 1, 2, 3 ... within its set
  std::string name;
  std::string sql;  // one or more statements, none of them BEGIN or COMMIT
};

// Steps that are counted together. Sets are applied in the order in which they are given.
struct MigrationSet {
  std::string part;  // "base", "feed"
  std::vector<Migration> migrations;
};

// What the libraries need in every service's database: the event log with `logs` logs, results of
// idempotency keys, subject keys, relay checkpoints, and the tables of projections. The number of
// logs is part of the data format: another number over existing tables is an error.
MigrationSet base_migrations(std::uint32_t logs);

// Blocks until another process that migrates the same database is done. InvalidInput when what ran
// before is not what is listed now, or took away what this program uses; otherwise the database's
// own errors.
core::Status migrate(const DatabaseOptions& database, std::span<const MigrationSet> sets);

// Whether every step has run, without running any; InvalidInput as above.
core::Result<bool> is_migrated(const DatabaseOptions& database, std::span<const MigrationSet> sets);

// Makes the schema `schema`, marked with `mark` as its comment, and runs all steps of `sets` in it,
// unqualified names of which then mean this schema first: the same tables once more, and empty. One
// transaction; nothing is recorded in `schema_migration`. Fails when the schema is there already.
core::Status migrate_into_schema(const DatabaseOptions& database, const std::string& schema,
                                 const std::string& mark, std::span<const MigrationSet> sets);

}  // namespace tideline::postgres
