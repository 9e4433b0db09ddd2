#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

std::vector<AppendObserver::Finished> EventStore::begin_observed(const Append& append) const {
  std::vector<AppendObserver::Finished> wanted;
  for (AppendObserver* observer : observers_) {
    if (auto finished = observer->begin(append)) wanted.push_back(std::move(finished));
  }
  return wanted;
}

core::Result<AppendOutcome> EventStore::append(Append append) {
  const auto finished = begin_observed(append);
  auto outcome = do_append(std::move(append));
  for (const auto& each : finished) each(outcome);
  return outcome;
}

void EventStore::append_then(Append append, AppendDone done) {
  auto finished = begin_observed(append);
  if (finished.empty()) return do_append_then(std::move(append), std::move(done));
  do_append_then(std::move(append), [finished = std::move(finished),
                                     done = std::move(done)](core::Result<AppendOutcome> outcome) {
    for (const auto& each : finished) each(outcome);
    done(std::move(outcome));
  });
}

}  // namespace tideline::eventsourcing
