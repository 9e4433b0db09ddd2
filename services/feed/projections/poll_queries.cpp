#include "feed/projections/poll_queries.hpp"

#include <set>

namespace tideline::feed {
namespace {

constexpr const char* kFindPollsSql = R"(
SELECT moment, author, options, option_count, multiple,
       (extract(epoch FROM closes_at) * 1000000)::bigint
FROM poll WHERE author_partition = ANY ($1::smallint[]) AND moment = ANY ($2::bigint[]))";

constexpr const char* kFindPollVoteSql = R"(
SELECT choices FROM poll_vote
WHERE author_partition = $1::smallint AND moment = $2::bigint AND voter = $3::uuid)";

constexpr const char* kCountPollVotesSql = R"(
SELECT choices, count(*) FROM poll_vote
WHERE author_partition = $1::smallint AND moment = $2::bigint
  AND NOT EXISTS (SELECT 1 FROM person WHERE account_id = voter AND closed)
GROUP BY choices)";

constexpr const char* kListPollVotesSql = R"(
SELECT moment, choices, (extract(epoch FROM voted_at) * 1000000)::bigint FROM poll_vote
WHERE voter = $1::uuid AND moment > $2::bigint ORDER BY moment LIMIT $3::int)";

core::MomentId moment_of(const sql::Row& row) {
  return core::MomentId(static_cast<std::uint64_t>(row.integer(0)));
}

}  // namespace

std::map<core::MomentId, PollRow> find_polls(sql::Transaction& transaction,
                                             std::span<const core::MomentId> moments) {
  std::map<core::MomentId, PollRow> polls;
  if (moments.empty()) return polls;
  std::set<int> partitions;
  for (const core::MomentId moment : moments) partitions.insert(core::author_partition(moment));
  for (const auto& row : transaction.execute(
           kFindPollsSql, {std::vector<int>(partitions.begin(), partitions.end()),
                           std::vector<core::MomentId>(moments.begin(), moments.end())})) {
    polls.emplace(moment_of(row),
                  PollRow{row.account(1), row.text(2), static_cast<std::size_t>(row.integer(3)),
                          row.boolean(4), row.timestamp_us(5)});
  }
  return polls;
}

std::uint32_t find_poll_vote(sql::Transaction& transaction, core::MomentId moment,
                             const core::AccountId& voter) {
  const auto rows =
      transaction.execute(kFindPollVoteSql, {core::author_partition(moment), moment, voter});
  return rows.empty() ? 0 : static_cast<std::uint32_t>(rows.front().integer(0));
}

PollResult count_poll_votes(sql::Transaction& transaction, core::MomentId moment,
                            std::size_t options) {
  PollResult result{0, std::vector<std::size_t>(options)};
  for (const auto& row :
       transaction.execute(kCountPollVotesSql, {core::author_partition(moment), moment})) {
    const auto choices = static_cast<std::uint32_t>(row.integer(0));
    const auto voters = static_cast<std::size_t>(row.integer(1));
    result.voters += voters;
    for (std::size_t option = 0; option < options; ++option) {
      if ((choices >> option & 1U) != 0) result.votes[option] += voters;
    }
  }
  return result;
}

std::vector<GivenPollVote> list_poll_votes_by(sql::Transaction& transaction,
                                              const core::AccountId& voter, core::MomentId after,
                                              int limit) {
  std::vector<GivenPollVote> votes;
  for (const auto& row : transaction.execute(kListPollVotesSql, {voter, after, limit})) {
    votes.push_back(
        {moment_of(row), static_cast<std::uint32_t>(row.integer(1)), row.timestamp_us(2)});
  }
  return votes;
}

}  // namespace tideline::feed
