// Tells the log what was appended: one line a command, with the ids by which a request can be
// followed from the gateway to its events. Never what the events hold.
#pragma once

#include <utility>

#include "eventsourcing/store/event_store.hpp"
#include "observability/log.hpp"

namespace tideline::runtime {

class AppendLog final : public eventsourcing::AppendObserver {
 public:
  explicit AppendLog(observability::Log log) : log_(std::move(log)) {}

  Finished begin(const eventsourcing::Append& append) override;

 private:
  observability::Log log_;
};

}  // namespace tideline::runtime
