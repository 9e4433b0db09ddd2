#include "scoring/projections/engine/score_deltas.hpp"

#include <limits>

namespace tideline::scoring {
namespace {

using sql::Row;
using sql::Transaction;

constexpr const char* kWaitForFolding =
    "SELECT pg_advisory_xact_lock("
    "hashtextextended('tideline score_delta', 'score'::regclass::oid::bigint))";
constexpr const char* kTryToFold =
    "SELECT pg_try_advisory_xact_lock("
    "hashtextextended('tideline score_delta', 'score'::regclass::oid::bigint))";

constexpr const char* kListDeltas =
    "SELECT number FROM score_delta"
    " WHERE number <= (SELECT number FROM score_delta ORDER BY number DESC OFFSET $1 LIMIT 1)"
    " ORDER BY number";

constexpr const char* kCountDeltas = "SELECT count(*) FROM score_delta";

// unnest() of several arrays among the columns, not in FROM, where PostgreSQL would first write
// them into a table of its own. They are sorted, so that a batch meets its pages in order.
constexpr const char* kFold = R"(
WITH taken AS (
  DELETE FROM score_delta WHERE number = $1 RETURNING *
), in_days AS (
  INSERT INTO day_score AS held (account_id, day, points, reached_at)
  SELECT unnest(day_accounts), unnest(days), unnest(day_points), unnest(day_reached_at)
  FROM taken
  ON CONFLICT (account_id, day) DO UPDATE
    SET points = held.points + excluded.points,
        reached_at = greatest(held.reached_at, excluded.reached_at)
)
INSERT INTO score AS held (account_id, points, reached_at, standing, contributions, events)
SELECT unnest(accounts), unnest(points), unnest(reached_at), unnest(standing),
       unnest(contributions), unnest(events)
FROM taken
ON CONFLICT (account_id) DO UPDATE
  SET points = held.points + excluded.points,
      reached_at = greatest(held.reached_at, excluded.reached_at),
      standing = held.standing | excluded.standing,
      contributions = held.contributions + excluded.contributions,
      events = held.events + excluded.events)";

// A copy has no log of flushes in its own schema.
constexpr const char* kIsCopy =
    "SELECT NOT EXISTS (SELECT FROM pg_class scores JOIN pg_class log USING (relnamespace)"
    " WHERE scores.oid = 'score'::regclass AND log.oid = 'score_flush'::regclass)";

// Two, so that what has piled up behind somebody who folded for long goes down again, while each
// flush stays short.
constexpr std::size_t kFoldedByFlushMax = 2;

void fold_all_but(Transaction& transaction, std::size_t newest,
                  std::size_t at_most = std::numeric_limits<std::size_t>::max()) {
  for (const Row& row : transaction.execute(kListDeltas, {newest})) {
    if (at_most-- == 0) return;
    transaction.execute(kFold, {row.integer(0)});
  }
}

}  // namespace

void hold_folding(Transaction& transaction) { transaction.execute(kWaitForFolding); }

void fold_deltas(Transaction& transaction) {
  hold_folding(transaction);
  fold_all_but(transaction, 0);
}

std::size_t fold_after_flush(Transaction& transaction) {
  if (transaction.execute(kTryToFold).at(0).boolean(0)) {
    const bool is_copy = transaction.execute(kIsCopy).at(0).boolean(0);
    if (is_copy) {
      fold_all_but(transaction, 0);
    } else {
      fold_all_but(transaction, kDeltasMax, kFoldedByFlushMax);
    }
  }
  return static_cast<std::size_t>(transaction.execute(kCountDeltas).at(0).integer(0));
}

}  // namespace tideline::scoring
