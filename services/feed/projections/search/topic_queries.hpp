// Which topics public moments of the last days have, each author counted once a day, and later days
// more: two accounts make no trend, and one cannot push what others write about.
//
// Blocks on the database and throws TransactionFailed, as the Transaction does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "search/term_keys.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// A day (UTC) weighs half as much as the next one; of so many days there is anything left.
inline constexpr std::int64_t kTrendDays = 14;
inline constexpr std::int64_t kTrendAuthorsMin = 3;
// Of a topic, the newest moments that are told, each of another author.
inline constexpr std::int64_t kTrendMoments = 8;

struct Trend {
  std::int64_t topic = 0;  // its key
  std::vector<core::MomentId> newest;
};

// The first `limit` ones, as of the day of the newest moment: so the same tables always tell the
// same, whenever they are read.
std::vector<Trend> trending(sql::Transaction& transaction, std::size_t limit);

// The keys of topics.
search::TermKeys topic_keys(const eventsourcing::TextSealer& sealer);

// Parameters: scopes, the first id, the last day in days since 1970, authors at least, moments
// told, the limit. For tests that look at its plan.
extern const char* const kTrendingSql;

}  // namespace tideline::feed
