#include "runtime/append_spans.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "eventsourcing/commands/decider.hpp"

namespace tideline::runtime {
namespace {

namespace es = eventsourcing;
using observability::Span;

std::string types_of(const es::Append& append) {
  std::set<std::string_view> types;
  for (const auto& part : append.streams) {
    for (const auto& event : part.events) types.insert(event.type);
  }
  std::string all;
  for (const std::string_view type : types) all.append(all.empty() ? "" : " ").append(type);
  return all;
}

std::string name_of(const core::Result<es::AppendOutcome>& outcome) {
  if (!outcome) return outcome.error().message;
  return std::visit(es::Overloaded{[](const es::Appended&) { return "appended"; },
                                   [](const es::AlreadyDone&) { return "already done"; },
                                   [](const es::VersionConflict&) { return "conflict"; },
                                   [](const es::KeyReused&) { return "key reused"; }},
                    *outcome);
}

}  // namespace

es::AppendObserver::Finished AppendSpans::begin(const es::Append& append) {
  auto span = observability::begin_span(append.metadata.traceparent,
                                        observability::SpanKind::Client, "append", clock_, random_);
  if (!span) return {};
  span->attributes = {{"db.system.name", "postgresql"}, {"tideline.event_types", types_of(append)}};
  return [span = *std::move(span), &spans = spans_,
          &clock = clock_](const core::Result<es::AppendOutcome>& outcome) mutable {
    span.end = clock.now();
    span.failed = !outcome.ok();
    span.attributes.emplace_back("tideline.outcome", name_of(outcome));
    spans.offer(std::move(span));
  };
}

}  // namespace tideline::runtime
