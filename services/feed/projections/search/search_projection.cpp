#include "feed/projections/search/search_projection.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kClosed = "search_closed";

}  // namespace

std::vector<std::string> SearchProjection::tables() const {
  std::vector<std::string> all{kClosed};
  all.insert(all.end(), MomentSearchModel::kTables.begin(), MomentSearchModel::kTables.end());
  all.insert(all.end(), MessageSearchModel::kTables.begin(), MessageSearchModel::kTables.end());
  return all;
}

void SearchProjection::apply(const eventsourcing::RecordedEvent& event) {
  if (const auto closed = eventsourcing::read_as<read::AccountClosed>(event)) {
    closed_.insert(closed->account);
  }
  moments_.apply(event);
  messages_.apply(event);
}

void SearchProjection::flush(sql::Transaction& transaction) {
  moments_.flush(transaction, opener_, closed_);
  messages_.flush(transaction, opener_, closed_);
  if (closed_.empty()) return;
  transaction.execute(
      "INSERT INTO search_closed SELECT * FROM unnest($1::uuid[]) ON CONFLICT DO NOTHING",
      {std::vector<core::AccountId>(closed_.begin(), closed_.end())});
}

void SearchProjection::flushed() {
  moments_.clear();
  messages_.clear();
  closed_.clear();
}

}  // namespace tideline::feed
