#include "feed/projections/pinned_moments.hpp"

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kUpsertPinned = R"(
INSERT INTO pinned_moment (author, moment)
SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS new (author, moment) WHERE moment IS NOT NULL
ON CONFLICT (author) DO UPDATE SET moment = excluded.moment)";

constexpr const char* kDeletePinned = R"(
DELETE FROM pinned_moment USING unnest($1::uuid[], $2::bigint[]) AS gone (author, moment)
WHERE gone.moment IS NULL AND pinned_moment.author = gone.author)";

}  // namespace

void PinnedMomentModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto changed = eventsourcing::read_as<PinnedMomentChanged>(event);
  if (changed) changes_[changed->author] = changed->moment;
}

void PinnedMomentModel::flush(sql::Transaction& transaction) const {
  for (const char* sql : {kUpsertPinned, kDeletePinned}) {
    sql::write_batch(transaction, sql, changes_, sql::kKey, sql::kValue);
  }
}

std::optional<core::MomentId> find_pinned(sql::Transaction& transaction,
                                          const core::AccountId& author) {
  const auto rows =
      transaction.execute("SELECT moment FROM pinned_moment WHERE author = $1::uuid", {author});
  if (rows.empty()) return std::nullopt;
  return core::MomentId(static_cast<std::uint64_t>(rows.front().integer(0)));
}

}  // namespace tideline::feed
