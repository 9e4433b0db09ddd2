#include "feed/projections/deletion_watch.hpp"

#include "feed/projections/events_read.hpp"

namespace tideline::feed {

void DeletionWatch::apply(const eventsourcing::RecordedEvent& event) {
  engine_.apply(event);
  // Few events are read twice.
  if (event.type != "MomentDeleted" && event.type != "AccountClosed") return;
  const auto known = read::read_event(event);
  if (!known) return;
  if (const auto* moment = std::get_if<read::MomentDeleted>(&*known)) {
    listener_.deleted(moment->id);
  } else if (const auto* account = std::get_if<read::AccountClosed>(&*known)) {
    listener_.closed(account->account);
  }
}

}  // namespace tideline::feed
