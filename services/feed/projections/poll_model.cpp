#include "feed/projections/poll_model.hpp"

#include <ranges>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kInsertPolls = R"(
INSERT INTO poll (author_partition, moment, author, options, option_count, multiple, closes_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::text[], $5::smallint[],
                     $6::boolean[], $7::timestamptz[])
ON CONFLICT DO NOTHING)";

constexpr const char* kDeletePolls = R"(
DELETE FROM poll USING unnest($1::smallint[], $2::bigint[]) AS gone (author_partition, moment)
WHERE poll.author_partition = gone.author_partition AND poll.moment = gone.moment)";

constexpr const char* kInsertPollVotes = R"(
INSERT INTO poll_vote (author_partition, moment, voter, choices, voted_at)
SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::uuid[], $4::smallint[], $5::timestamptz[])
ON CONFLICT DO NOTHING)";

}  // namespace

void PollModel::clear() {
  polls_.clear();
  votes_.clear();
}

void PollModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::PollOpened, read::MomentDeleted, PollVoted>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (auto* opened = std::get_if<read::PollOpened>(&*known)) {
    const core::MomentId moment = opened->moment;
    polls_.insert_or_assign(moment, std::move(*opened));
  } else if (const auto* deleted = std::get_if<read::MomentDeleted>(&*known)) {
    polls_.insert_or_assign(deleted->id, std::nullopt);
  } else if (const auto* voted = std::get_if<PollVoted>(&*known)) {
    votes_.insert_or_assign({voted->moment, voted->voter}, *voted);
  }
}

void PollModel::flush(sql::Transaction& transaction) const {
  using Entry = std::pair<const core::MomentId, std::optional<read::PollOpened>>;
  using read::PollOpened;
  const auto is_open = [](const Entry& entry) { return entry.second.has_value(); };
  const auto is_gone = [](const Entry& entry) { return !entry.second.has_value(); };
  const auto of_poll = [](auto member) {
    return [member](const Entry& entry) { return std::invoke(member, *entry.second); };
  };
  sql::write_batch(transaction, kInsertPolls, polls_ | std::views::filter(is_open),
                   core::author_partition, sql::kKey, of_poll(&PollOpened::author),
                   of_poll(&PollOpened::sealed_options), of_poll(&PollOpened::count),
                   of_poll(&PollOpened::is_multiple), of_poll(&PollOpened::closes_at));
  sql::write_batch(transaction, kDeletePolls, polls_ | std::views::filter(is_gone),
                   core::author_partition, sql::kKey);
  sql::write_batch(transaction, kInsertPollVotes, votes_,
                   sql::at(&PollVoted::moment, core::author_partition), &PollVoted::moment,
                   &PollVoted::voter, &PollVoted::choices, &PollVoted::voted_at);
}

}  // namespace tideline::feed
