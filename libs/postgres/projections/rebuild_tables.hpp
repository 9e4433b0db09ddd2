// What a rebuild does in the database, as statements: the copy of a projection's tables in a schema
// of its own, its progress, the comparison and the exchange. Internal to rebuild.cpp and its tests.
// Every function runs inside the caller's transaction and throws TransactionFailed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/events/position_vector.hpp"
#include "postgres/projections/checkpoints.hpp"
#include "sql/transaction.hpp"

namespace tideline::postgres::rebuild {

// Names that belong to one projection: "social-graph" has the schema rebuild_social_graph, and its
// copy keeps checkpoints and dead letters as projection "social-graph@rebuild".
struct Names {
  Names(std::string_view projection, std::vector<std::string> tables_);

  std::string live;
  std::string copy;
  std::string schema;
  std::vector<std::string> tables;
};

// The schema in which unqualified names are found: where the tables that serve lie.
std::string live_schema(sql::Transaction& transaction);
// What the schema of the copy was marked with when it was made; nullopt: there is none.
std::optional<std::string> schema_mark(sql::Transaction& transaction, const Names& names);
// Removes what the migrations made for other projections: theirs must be found, not empty ones.
void drop_foreign_tables(sql::Transaction& transaction, const Names& names);
// Unqualified names are the copy's first until the transaction ends. What it writes may be lost by
// a crash of the server, together with the checkpoint that it moves.
void enter_schema(sql::Transaction& transaction, const Names& names, std::string_view live_schema);
// The schema, checkpoints, dead letters and skips of the copy; nothing happens when there are none.
void drop_copy(sql::Transaction& transaction, const Names& names);
void analyze_copy(sql::Transaction& transaction, const Names& names);
std::int64_t copy_bytes(sql::Transaction& transaction, const Names& names);

struct Place {
  eventsourcing::SourcePartition partition;
  std::int64_t generation = 0;
  core::LogPosition position;
  core::KafkaOffset next_offset;
};

// The checkpoints of a projection; locked: nobody moves them until the transaction ends.
std::vector<Place> places(sql::Transaction& transaction, std::string_view projection, bool locked);

// Skips of the projection that serves count for the copy too. Returns where the copy had already
// passed an event that was skipped since: such a copy is of no use any more.
std::vector<std::string> take_over_skips(sql::Transaction& transaction, const Names& names);
// Events that the copy has parked and the projection that serves has not, although it has reached
// them: place, type and reason of the first few.
std::vector<std::string> new_dead_letters(sql::Transaction& transaction, const Names& names);

// A read-only transaction sees the tables as they are at its first statement: this one.
void take_snapshot(sql::Transaction& view);

struct TableComparison {
  std::string table;
  std::int64_t rows_old = 0;
  std::int64_t rows_new = 0;
  std::string digest_old;  // of all rows, whatever their order
  std::string digest_new;
  bool equal = false;
  std::vector<std::string> examples;  // of rows that only one side has
};

struct Comparison {
  std::vector<TableComparison> tables;
  std::string digest_old;  // over all tables
  std::string digest_new;
  bool equal = true;
};

Comparison compare(sql::Transaction& transaction, const Names& names, std::string_view live_schema);

// Waits until every query of this service that began before the call is over: after an exchange it
// would find the new tables as they were when it began. False: not within a second or so.
bool older_queries_are_over(sql::Transaction& transaction);

// Puts the tables of the copy in the place of the old ones, which are dropped, and its checkpoints
// and dead letters too. Every owner's generation is raised: it takes up the new tables. Waits for
// running queries, a bounded number of times, without holding up others for long.
void exchange(sql::Transaction& transaction, const Names& names, std::string_view live_schema);

}  // namespace tideline::postgres::rebuild
