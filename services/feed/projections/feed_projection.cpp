#include "feed/projections/feed_projection.hpp"

#include <utility>

namespace tideline::feed {

void FeedProjection::load(sql::Transaction&) { flushed(); }

// Each model takes the events that it knows and leaves the others.
void FeedProjection::apply(const eventsourcing::RecordedEvent& event) {
  auto known = read::read_event(event);
  if (!known) return;
  moments_.apply(*known);
  interactions_.apply(*known);
  messages_.apply(*known);
}

void FeedProjection::flush(sql::Transaction& transaction) {
  moments_.flush(transaction);
  interactions_.flush(transaction);
  messages_.flush(transaction);
}

void FeedProjection::flushed() {
  moments_.clear();
  interactions_.clear();
  messages_.clear();
}

}  // namespace tideline::feed
