#include "crash/score_watcher.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string_view>

namespace tideline::crash {
namespace {

constexpr std::string_view kLookSql =
    "SELECT coalesce((SELECT string_agg(service || ' ' || log || ' ' || position, E'\\n')"
    " FROM projection_checkpoint WHERE projection = 'scores'), ''),"
    " (coalesce((SELECT sum(points) FROM score), 0)"
    "  + coalesce((SELECT sum(more) FROM score_delta, unnest(points) AS more), 0))::bigint,"
    " (coalesce((SELECT sum(points) FROM day_score), 0)"
    "  + coalesce((SELECT sum(more) FROM score_delta, unnest(day_points) AS more), 0))::bigint";

ScoreWatcher::Checkpoint checkpoint_of(const std::string& text) {
  ScoreWatcher::Checkpoint checkpoint;
  std::istringstream lines(text);
  std::string service;
  std::uint32_t log = 0;
  std::uint64_t position = 0;
  while (lines >> service >> log >> position) checkpoint[{service, log}] = position;
  return checkpoint;
}

std::string text_of(const ScoreWatcher::Sums& sums) {
  return std::to_string(sums.points) + " and " + std::to_string(sums.earned);
}

}  // namespace

ScoreWatcher::ScoreWatcher(const postgres::DatabaseOptions& options)
    : thread_([this, options](const std::stop_token& end) {
        postgres::PooledDatabase database(options);
        while (!end.stop_requested()) look(database);
      }) {}

void ScoreWatcher::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void ScoreWatcher::look(postgres::PooledDatabase& database) {
  const auto rows = database.query(kLookSql, {});
  if (!rows.ok()) {
    ADD_FAILURE() << rows.error().message;
    thread_.request_stop();
    return;
  }
  const auto& row = rows->at(0);
  const Sums sums{row.integer(1), row.integer(2)};
  const auto [before, is_new] = seen_.try_emplace(checkpoint_of(row.text(0)), sums);
  if (is_new || before->second == sums) return;
  contradictions_.push_back("points " + text_of(before->second) + ", then " + text_of(sums));
}

}  // namespace tideline::crash
