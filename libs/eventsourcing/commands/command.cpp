#include "eventsourcing/commands/command.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/check.hpp"

namespace tideline::eventsourcing {
namespace {

// From here on an attempt waits a little longer each time: the one that is slow must not lose for
// ever.
constexpr int kAttemptsWithoutPause = 8;
constexpr std::size_t kReadBatch = 200;
// So many events that no longer count may be read again and again before their compaction is saved.
constexpr std::size_t kSupersededMax = 16;

CommandResult run_body(const CommandBody& body, CommandSession& session) {
  try {
    return body(session);
  } catch (const core::Failed& failed) {
    return failed.error();
  } catch (const Rejected& rejected) {
    return rejected.rejection();
  }
}

const Rejection kAnswerErased{RejectionKind::Conflict, "answer-erased",
                              "what was answered before cannot be read any more"};

core::Result<std::optional<CommandOutcome>> repeated(const AnswerSeal& answers,
                                                     StoredResult stored) {
  auto opened = answers.open(std::move(stored));
  if (!opened) return opened.error();
  if (!*opened) return std::optional<CommandOutcome>(kAnswerErased);
  return std::optional<CommandOutcome>(CommandDone{**std::move(opened), true});
}

// What a request with this key was answered before; nullopt: nothing, or there is no key.
core::Result<std::optional<CommandOutcome>> answered_before(EventStore& store,
                                                            const CommandContext& context) {
  if (!context.idempotency) return std::optional<CommandOutcome>();
  auto known = store.find_result(*context.idempotency);
  if (!known) return known.error();
  if (!*known) return std::optional<CommandOutcome>();
  if (std::holds_alternative<KeyReused>(**known)) return std::optional<CommandOutcome>(KeyReused{});
  return repeated(context.answers, std::get<AlreadyDone>(**known).result);
}

}  // namespace

std::string CommandContext::seen_token(std::uint32_t logs) const {
  PositionVector kept;
  for (const auto& [service, positions] : seen.services()) {
    for (const auto& [log, position] : positions) {
      if (log.value() < logs) kept.raise(service, log, position);
    }
  }
  return kept.empty() ? std::string() : kept.to_token();
}

void CommandSession::stage_encoded(const core::StreamId& stream, core::StreamVersion expected,
                                   std::vector<NewEvent> events) {
  if (events.empty()) return;
  append_.streams.push_back({stream, expected, std::move(events)});
}

std::vector<RecordedEvent> CommandSession::read(const core::StreamId& stream,
                                                const std::optional<CompactionRule>& rule) {
  const auto keeps_all = [](const RecordedEvent&, const RecordedEvent&) { return false; };
  CompactedEvents events(rule.value_or(CompactionRule{0, keeps_all}));
  std::size_t count = 0;
  auto batch = core::value_of(rule ? store_.read_compacted(stream, rule->revision, kReadBatch)
                                   : store_.read_stream(stream, {}, kReadBatch));
  while (true) {
    count += batch.size();
    const bool more = batch.size() >= kReadBatch;
    for (RecordedEvent& event : batch) events.add(std::move(event));
    if (!more) break;
    batch = core::value_of(store_.read_stream(stream, events.kept().back().version, kReadBatch));
  }
  const auto& kept = events.kept();
  const RecordedEvent* last = kept.empty() ? nullptr : &kept.back();
  note_loaded(stream, last ? last->version : core::StreamVersion(),
              last ? last->position : core::LogPosition());
  if (rule && count - kept.size() >= kSupersededMax) {
    StreamCompaction compaction{rule->revision, last->version, {}};
    for (const RecordedEvent& event : kept) compaction.kept.push_back(event.version);
    // Where it fails, the next one who reads will try.
    [[maybe_unused]] const core::Status saved = store_.save_compaction(stream, compaction);
  }
  return events.take();
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

// One attempt, up to its append and from there on.
class CommandAttempt {
 public:
  CommandAttempt(EventStore& store, const CommandContext& context, int number)
      : store_(store), context_(context), number_(number) {}

  // The outcome where nothing is to be appended; else append_ and result_ are ready.
  core::Result<std::optional<CommandOutcome>> prepare(const CommandBody& body) {
    if (number_ == 0) {
      auto known = answered_before(store_, context_);
      if (!known || *known) return known;
    }
    if (number_ > kAttemptsWithoutPause) {
      std::this_thread::sleep_for(std::chrono::milliseconds(number_ - kAttemptsWithoutPause));
    }
    CommandSession session(store_, context_);
    CommandResult decided = run_body(body, session);
    if (auto* error = std::get_if<core::Error>(&decided)) return *error;
    if (auto* rejection = std::get_if<Rejection>(&decided)) return refused(*rejection);
    return stage(session, std::get<Answer>(decided));
  }

  Append take_append() { return std::move(append_); }
  StoredResult take_result() { return std::move(result_); }

  // nullopt: another attempt is due.
  static core::Result<std::optional<CommandOutcome>> conclude(const AnswerSeal& answers,
                                                              StoredResult result, int number,
                                                              core::Result<AppendOutcome> outcome) {
    using Outcome = std::optional<CommandOutcome>;
    if (!outcome) return outcome.error();
    if (auto* appended = std::get_if<Appended>(&*outcome)) {
      result.positions.join(appended->positions);
      return Outcome(CommandDone{std::move(result), false});
    }
    if (auto* done = std::get_if<AlreadyDone>(&*outcome)) {
      return repeated(answers, std::move(done->result));
    }
    if (std::holds_alternative<KeyReused>(*outcome)) return Outcome(KeyReused{});
    if (number + 1 < kCommandAttemptsMax) return Outcome();
    return Outcome(ConflictExhausted{std::get<VersionConflict>(*outcome).stream});
  }

 private:
  // Two requests with one key may be under way at once, after a connection broke: what the other
  // has done since this one looked can be the very reason for refusing this one.
  core::Result<std::optional<CommandOutcome>> refused(CommandOutcome refusal) const {
    auto known = answered_before(store_, context_);
    if (!known || *known) return known;
    return std::optional(std::move(refusal));
  }

  core::Result<std::optional<CommandOutcome>> stage(CommandSession& session, const Answer& answer) {
    result_ = {answer.status, answer.body, answer.location, "", {}};
    if (context_.if_match) {
      const auto version = session.hold(answer.etag_stream);
      if (version != *context_.if_match) return refused(PreconditionFailed{version});
    }
    if (!answer.etag_stream.value().empty()) {
      result_.etag = std::to_string(session.version_after(answer.etag_stream).value());
    }
    if (session.append_.streams.empty()) {
      result_.positions = session.loaded_positions();
      if (!context_.idempotency) {
        return std::optional<CommandOutcome>(CommandDone{std::move(result_), false});
      }
    }
    append_ = std::move(session.append_);
    append_.time = context_.now;
    append_.metadata = context_.metadata;
    append_.metadata.seen = context_.seen_token(store_.logs());
    append_.idempotency = context_.idempotency;
    if (context_.idempotency) {
      auto stored = context_.answers.seal(result_);
      if (!stored) return stored.error();
      append_.result = *std::move(stored);
    }
    return std::optional<CommandOutcome>();
  }

  EventStore& store_;
  const CommandContext& context_;
  const int number_;
  Append append_;
  StoredResult result_;
};

core::Result<CommandOutcome> run_command(EventStore& store, const CommandContext& context,
                                         const CommandBody& body) {
  for (int number = 0;; ++number) {
    CommandAttempt attempt(store, context, number);
    auto outcome = attempt.prepare(body);
    if (outcome && !*outcome) {
      auto appended = store.append(attempt.take_append());
      outcome = CommandAttempt::conclude(context.answers, attempt.take_result(), number,
                                         std::move(appended));
    }
    if (!outcome) return outcome.error();
    if (*outcome) return std::move(**outcome);
  }
}

void attempt_command(EventStore& store, const CommandContext& context, int attempt,
                     const CommandBody& body, AttemptDone done) {
  CommandAttempt one(store, context, attempt);
  auto outcome = one.prepare(body);
  if (!outcome || *outcome) return done(std::move(outcome));
  store.append_then(
      one.take_append(), [answers = context.answers, result = one.take_result(), attempt,
                          done = std::move(done)](core::Result<AppendOutcome> appended) mutable {
        done(CommandAttempt::conclude(answers, std::move(result), attempt, std::move(appended)));
      });
}

}  // namespace tideline::eventsourcing
