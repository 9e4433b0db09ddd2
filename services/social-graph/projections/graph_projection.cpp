#include "social-graph/projections/graph_projection.hpp"

namespace tideline::social_graph {

void GraphProjection::load(sql::Transaction&) { flushed(); }

// Each model takes the events that it knows and leaves the others; so a type that nobody here
// knows, of a later version of this service, changes nothing.
void GraphProjection::apply(const eventsourcing::RecordedEvent& event) {
  contacts_.apply(event);
  follows_.apply(event);
  tags_.apply(event);
  settings_.apply(event);
  groups_.apply(event);
}

void GraphProjection::flush(sql::Transaction& transaction) {
  contacts_.flush(transaction);
  follows_.flush(transaction);
  tags_.flush(transaction);
  settings_.flush(transaction);
  groups_.flush(transaction);
}

void GraphProjection::flushed() {
  contacts_.clear();
  follows_.clear();
  tags_.clear();
  settings_.clear();
  groups_.clear();
}

}  // namespace tideline::social_graph
