#include "eventsourcing/command.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/check.hpp"

namespace tideline::eventsourcing {
namespace {

// Of those who meet on one stream, one wins each round; so many may meet before anybody is refused.
constexpr int kAttemptsMax = 64;
// From here on an attempt waits a little longer each time: whoever is slow must not lose for ever.
constexpr int kAttemptsWithoutPause = 8;
constexpr std::size_t kReadBatch = 1000;

CommandResult run_body(const std::function<CommandResult(CommandSession&)>& body,
                       CommandSession& session) {
  try {
    return body(session);
  } catch (const CodecFailed& failed) {
    return failed.error();
  }
}

// What a request with this key was answered before; nullopt: nothing, or there is no key.
core::Result<std::optional<CommandOutcome>> answered_before(EventStore& store,
                                                            const CommandContext& context) {
  if (!context.idempotency) return std::optional<CommandOutcome>();
  auto known = store.find_result(*context.idempotency);
  if (!known) return known.error();
  if (!*known) return std::optional<CommandOutcome>();
  if (std::holds_alternative<KeyReused>(**known)) return std::optional<CommandOutcome>(KeyReused{});
  return std::optional<CommandOutcome>(CommandDone{std::get<AlreadyDone>(**known).result, true});
}

// Two requests with one key may be under way at once, after a connection broke: what the other has
// done since this one looked can be the very reason for refusing this one.
core::Result<CommandOutcome> refused(EventStore& store, const CommandContext& context,
                                     CommandOutcome refusal) {
  auto known = answered_before(store, context);
  if (!known) return known.error();
  if (*known) return std::move(**known);
  return refusal;
}

}  // namespace

void CommandSession::stage_encoded(const core::StreamId& stream, core::StreamVersion expected,
                                   std::vector<NewEvent> events) {
  if (events.empty()) return;
  append_.streams.push_back({stream, expected, std::move(events)});
}

core::Status CommandSession::visit_stream(
    const core::StreamId& stream, const std::function<core::Status(const RecordedEvent&)>& visit) {
  core::StreamVersion version;
  core::LogPosition position;
  while (true) {
    auto events = store_.read_stream(stream, version, kReadBatch);
    if (!events) return events.error();
    for (const RecordedEvent& event : *events) {
      auto status = visit(event);
      if (!status) return status;
      version = event.version;
      position = event.position;
    }
    if (events->size() < kReadBatch) break;
  }
  note_loaded(stream, version, position);
  return core::success();
}

void CommandSession::note_loaded(const core::StreamId& stream, core::StreamVersion version,
                                 core::LogPosition position) {
  loaded_.push_back({stream, version, position});
}

PositionVector CommandSession::loaded_positions() const {
  PositionVector positions;
  for (const LoadedVersion& loaded : loaded_) {
    positions.raise(store_.service(), core::log_of(loaded.stream.value(), store_.logs()),
                    loaded.position);
  }
  return positions;
}

core::StreamVersion CommandSession::version_after(const core::StreamId& stream) const {
  std::uint64_t version = 0;
  for (const LoadedVersion& loaded : loaded_) {
    if (loaded.stream == stream) version = loaded.version.value();
  }
  for (const StreamAppend& staged : append_.streams) {
    if (staged.stream == stream) version = staged.expected.value() + staged.events.size();
  }
  return core::StreamVersion(version);
}

core::StreamVersion CommandSession::hold(const core::StreamId& stream) {
  if (stream.value().empty()) return {};
  const auto is_it = [&](const auto& entry) { return entry.stream == stream; };
  const auto loaded = std::find_if(loaded_.begin(), loaded_.end(), is_it);
  CHECK(loaded != loaded_.end(), "the answered stream was not loaded");
  const bool held = std::any_of(append_.streams.begin(), append_.streams.end(), is_it) ||
                    std::any_of(append_.assertions.begin(), append_.assertions.end(), is_it);
  if (!held) append_.assertions.push_back({stream, loaded->version});
  return loaded->version;
}

core::Result<CommandOutcome> run_command(
    EventStore& store, const CommandContext& context,
    const std::function<CommandResult(CommandSession&)>& body) {
  auto known = answered_before(store, context);
  if (!known) return known.error();
  if (*known) return std::move(**known);
  core::StreamId contended;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    if (attempt > kAttemptsWithoutPause) {
      std::this_thread::sleep_for(std::chrono::milliseconds(attempt - kAttemptsWithoutPause));
    }
    CommandSession session(store, context);
    CommandResult decided = run_body(body, session);
    if (auto* error = std::get_if<core::Error>(&decided)) return *error;
    if (auto* rejection = std::get_if<Rejection>(&decided)) {
      return refused(store, context, *rejection);
    }
    Answer& answer = std::get<Answer>(decided);

    StoredResult result{answer.status, answer.body, answer.location, "", {}};
    if (context.if_match) {
      const auto version = session.hold(answer.etag_stream);
      if (version != *context.if_match) return refused(store, context, PreconditionFailed{version});
    }
    if (!answer.etag_stream.value().empty()) {
      result.etag = std::to_string(session.version_after(answer.etag_stream).value());
    }
    if (session.append_.streams.empty()) {
      result.positions = session.loaded_positions();
      if (!context.idempotency) return CommandOutcome(CommandDone{std::move(result), false});
    }

    session.append_.time = context.now;
    session.append_.metadata = context.metadata;
    session.append_.idempotency = context.idempotency;
    session.append_.result = result;
    auto outcome = store.append(std::move(session.append_));
    if (!outcome) return outcome.error();
    if (auto* appended = std::get_if<Appended>(&*outcome)) {
      result.positions.join(appended->positions);
      return CommandOutcome(CommandDone{std::move(result), false});
    }
    if (auto* done = std::get_if<AlreadyDone>(&*outcome)) {
      return CommandOutcome(CommandDone{std::move(done->result), true});
    }
    if (std::holds_alternative<KeyReused>(*outcome)) return CommandOutcome(KeyReused{});
    contended = std::get<VersionConflict>(*outcome).stream;
  }
  return CommandOutcome(ConflictExhausted{contended});
}

}  // namespace tideline::eventsourcing
