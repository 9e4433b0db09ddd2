#include "runtime/traced_event_store.hpp"

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

void end(Span span, const core::Result<es::AppendOutcome>& outcome,
         observability::SpanExporter& spans, const core::Clock& clock) {
  span.end = clock.now();
  span.failed = !outcome.ok();
  span.attributes.emplace_back("tideline.outcome", name_of(outcome));
  spans.offer(std::move(span));
}

}  // namespace

std::optional<Span> TracedEventStore::begin(const es::Append& append) {
  auto span = observability::begin_span(append.metadata.traceparent,
                                        observability::SpanKind::Client, "append", clock_, random_);
  if (span) {
    span->attributes = {{"db.system.name", "postgresql"},
                        {"tideline.event_types", types_of(append)}};
  }
  return span;
}

core::Result<es::AppendOutcome> TracedEventStore::append(es::Append append) {
  auto span = begin(append);
  auto outcome = ForwardingEventStore::append(std::move(append));
  if (span) end(*std::move(span), outcome, spans_, clock_);
  return outcome;
}

void TracedEventStore::append_then(es::Append append, es::AppendDone done) {
  auto span = begin(append);
  if (!span) return ForwardingEventStore::append_then(std::move(append), std::move(done));
  auto traced = [span = *std::move(span), &spans = spans_, &clock = clock_,
                 done = std::move(done)](core::Result<es::AppendOutcome> outcome) mutable {
    end(std::move(span), outcome, spans, clock);
    done(std::move(outcome));
  };
  ForwardingEventStore::append_then(std::move(append), std::move(traced));
}

}  // namespace tideline::runtime
