#include "runtime/append_log.hpp"

#include "core/trace.hpp"

namespace tideline::runtime {
namespace {

struct Summary {
  std::string streams;
  std::string types;
  std::size_t events = 0;
};

void add(std::string& list, const std::string& item) {
  if (!list.empty()) list += ' ';
  list += item;
}

Summary summarize(const eventsourcing::Append& append) {
  Summary summary;
  for (const auto& part : append.streams) {
    add(summary.streams, part.stream.value());
    for (const auto& event : part.events) add(summary.types, event.type);
    summary.events += part.events.size();
  }
  return summary;
}

void log_outcome(const observability::Log& log, const Summary& summary,
                 const eventsourcing::Metadata& metadata,
                 const core::Result<eventsourcing::AppendOutcome>& outcome) {
  const observability::LogContext ids(
      {.request_id = metadata.causation_id,
       .correlation_id = metadata.correlation_id,
       .trace_id = std::string(core::trace_id_of(metadata.traceparent))});
  if (!outcome) {
    log.warning("append failed",
                {{"streams", summary.streams}, {"reason", outcome.error().message}});
  } else if (summary.events > 0 && std::holds_alternative<eventsourcing::Appended>(*outcome)) {
    log.info("appended",
             {{"streams", summary.streams}, {"types", summary.types}, {"events", summary.events}});
  }
}

}  // namespace

eventsourcing::AppendObserver::Finished AppendLog::begin(const eventsourcing::Append& append) {
  if (!log_.enabled(observability::Level::Info)) return {};
  return [log = log_, summary = summarize(append),
          metadata = append.metadata](const core::Result<eventsourcing::AppendOutcome>& outcome) {
    log_outcome(log, summary, metadata, outcome);
  };
}

}  // namespace tideline::runtime
