#include "social-graph/projections/suggestion_model.hpp"

#include "social-graph/domain/suggestion.hpp"
#include "social-graph/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::social_graph {

void SuggestionModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto read = eventsourcing::read_any<Suggestion::Event>(event);
  if (!read) return;
  const auto& dismissed = std::get<ContactSuggestionDismissed>(*read);
  dismissed_.emplace(dismissed.owner, dismissed.other);
}

void SuggestionModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO dismissed_suggestion (owner, other)"
                   " SELECT * FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING",
                   dismissed_, &Key::first, &Key::second);
}

}  // namespace tideline::social_graph
