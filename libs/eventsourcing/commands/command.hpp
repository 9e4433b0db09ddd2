// Execution of one command: load the streams, decide, append; again when somebody else was first.
//
//   auto outcome = run_command(store, context, [&](CommandSession& session) -> CommandResult {
//     auto pair = session.load<ContactPair>(keys::contact(a, b), codec);
//     if (!pair) return pair.error();
//     auto decision = ContactPair::decide(pair->state, AcceptContact{...});
//     if (decision.rejected()) return decision.rejection();
//     session.stage(*pair, decision.events(), codec);
//     return Answer{200, body, location, &pair->stream};
//   });
//
// The body may run several times and must have no effect but through the session.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "eventsourcing/commands/answer_seal.hpp"
#include "eventsourcing/commands/compaction.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "eventsourcing/events/codec.hpp"
#include "eventsourcing/store/event_store.hpp"

namespace tideline::eventsourcing {

// What comes in with every command from the edge.
struct CommandContext {
  core::Timestamp now;
  Metadata metadata;
  std::optional<IdempotencyKey> idempotency;
  // From If-Match: the version at which the answered stream must stand when the command commits. No
  // version fits an answer that is about no stream.
  std::optional<core::StreamVersion> if_match;
  // What the caller had seen: the positions of the request's token, of any services.
  PositionVector seen{};
  core::Day today{};  // of the campus, at `now`
  AnswerSeal answers{};

  // The same as events keep it (Metadata::seen): a token, "" for none. A log that no service has,
  // for all have `logs`, is left out: nobody could ever reach it.
  std::string seen_token(std::uint32_t logs) const;
};

// How the command is answered once its events are durable; stored with the idempotency key.
struct Answer {
  int status = 200;
  std::string body;      // JSON, "" = no content
  std::string location;  // "" = none
  // The stream whose version is the answer's ETag; "" = none.
  core::StreamId etag_stream;
};

using CommandResult = std::variant<Answer, Rejection, core::Error>;

struct CommandDone {
  StoredResult result;  // with positions: of the new events, or where the loaded streams stand
  bool repeated = false;
};
struct PreconditionFailed {
  core::StreamVersion actual;
};
// Lost the race too often; the client may try again.
struct ConflictExhausted {
  core::StreamId stream;
};

using CommandOutcome =
    std::variant<CommandDone, Rejection, PreconditionFailed, ConflictExhausted, KeyReused>;

template <Decider D>
struct Loaded {
  core::StreamId stream;
  core::StreamVersion version;
  typename D::State state;
};

// A business "no" on its way to whoever runs the command.
class Rejected : public std::exception {
 public:
  explicit Rejected(Rejection rejection) : rejection_(std::move(rejection)) {}
  const Rejection& rejection() const { return rejection_; }
  const char* what() const noexcept override { return rejection_.detail.c_str(); }

 private:
  Rejection rejection_;
};

// What the body of a command works with, in one attempt at it. Not thread-safe: it lives on the
// stack of run_command or attempt_command. Throws core::Failed.
class CommandSession {
 public:
  CommandSession(EventStore& store, const CommandContext& context)
      : store_(store), context_(context) {}

  // Folds the events of a stream that count for its decider. One that the codec does not know is an
  // Error, never skipped. A stub, of which nothing is known but its type, is handed to D::lost()
  // where D has that, and else changes nothing.
  template <Decider D, CodecOf<D> C>
  Loaded<D> load(const core::StreamId& stream, const C& codec) {
    static_assert(Compacted<D> || Bounded<D>, "a stream's length must not cost its commands");
    Loaded<D> loaded{stream, {}, {}};
    for (const RecordedEvent& recorded : read(stream, rule_of<D>())) {
      fold<D>(loaded, recorded, codec);
    }
    return loaded;
  }

  // Reads the last event alone: for deciders whose every event carries the whole state.
  template <Decider D, CodecOf<D> C>
  Loaded<D> load_last(const core::StreamId& stream, const C& codec) {
    Loaded<D> loaded{stream, {}, {}};
    const auto last = core::value_of(store_.read_last(stream));
    if (last && is_stub(*last)) {
      // What it was before, and what has been lost since.
      for (const RecordedEvent& recorded : read(stream, rule_of<D>())) {
        fold<D>(loaded, recorded, codec);
      }
      return loaded;
    }
    if (last) fold<D>(loaded, *last, codec);
    note_loaded(stream, loaded.version, last ? last->position : core::LogPosition(0));
    return loaded;
  }

  // A stream that nobody has begun yet, as is presumed without a look at it: where it turns out to
  // be another one's the append conflicts, and the next attempt begins another.
  template <Decider D>
  Loaded<D> presume_new(const core::StreamId& stream) {
    note_loaded(stream, {}, {});
    return {stream, {}, {}};
  }

  // Puts events behind a loaded stream.
  template <Decider D, CodecOf<D> C>
  void stage(const Loaded<D>& loaded, const std::vector<typename D::Event>& events,
             const C& codec) {
    std::vector<NewEvent> encoded;
    encoded.reserve(events.size());
    for (const auto& event : events) encoded.push_back(codec.encode(event));
    stage_encoded(loaded.stream, loaded.version, std::move(encoded));
  }
  void stage_encoded(const core::StreamId& stream, core::StreamVersion expected,
                     std::vector<NewEvent> events);

  // A loaded stream that is not written must still stand where it stood when this commits.
  template <Decider D>
  void assert_unchanged(const Loaded<D>& loaded) {
    append_.assertions.push_back({loaded.stream, loaded.version});
  }

  const CommandContext& context() const { return context_; }
  EventStore& store() { return store_; }

 private:
  friend class CommandAttempt;

  struct LoadedVersion {
    core::StreamId stream;
    core::StreamVersion version;
    core::LogPosition position;
  };

  template <Decider D, CodecOf<D> C>
  static std::optional<typename D::Event> decode(const RecordedEvent& recorded, const C& codec) {
    if constexpr (requires { codec.decode_to_decide(recorded); }) {
      return codec.decode_to_decide(recorded);
    } else {
      return codec.decode(recorded);
    }
  }
  template <Decider D, CodecOf<D> C>
  static void fold(Loaded<D>& loaded, const RecordedEvent& recorded, const C& codec) {
    if (is_stub(recorded)) {
      if constexpr (requires { D::lost(loaded.state, recorded.type); }) {
        D::lost(loaded.state, recorded.type);
      }
      loaded.version = recorded.version;
      return;
    }
    std::optional<typename D::Event> event = decode<D>(recorded, codec);
    if (!event) {
      // A newer program wrote it: one that knows it may decide.
      throw core::Failed(core::unavailable("unknown event " + recorded.type + " in stream " +
                                           recorded.stream.value()));
    }
    loaded.state = D::evolve(std::move(loaded.state), *event);
    loaded.version = recorded.version;
  }

  // Without a rule all events of a stream count.
  template <class D>
  static std::optional<CompactionRule> rule_of() {
    if constexpr (Compacted<D>) return D::kCompaction;
    return std::nullopt;
  }
  std::vector<RecordedEvent> read(const core::StreamId& stream,
                                  const std::optional<CompactionRule>& rule);
  void note_loaded(const core::StreamId& stream, core::StreamVersion version,
                   core::LogPosition position);
  PositionVector loaded_positions() const;
  // The version at which the stream was loaded, and must still stand when this commits; none (0)
  // for no stream.
  core::StreamVersion hold(const core::StreamId& stream);
  core::StreamVersion version_after(const core::StreamId& stream) const;

  EventStore& store_;
  const CommandContext& context_;
  Append append_;
  std::vector<LoadedVersion> loaded_;
};

using CommandBody = std::function<CommandResult(CommandSession&)>;

// Runs `body` until its append neither conflicts nor fails, at most kCommandAttemptsMax times; the
// later attempts pause for some milliseconds, so the call blocks for less than two seconds of
// pauses. A success without events carries the positions at which the loaded streams stand; it is
// stored under the command's key, if there is one, and nothing is appended otherwise. Rejections
// are not stored.
core::Result<CommandOutcome> run_command(EventStore& store, const CommandContext& context,
                                         const CommandBody& body);

// Of those who meet on one stream, one wins each round; so many may meet before anybody is refused.
inline constexpr int kCommandAttemptsMax = 64;

// Takes what one attempt came to; nullopt: somebody else was first, and the next attempt is due.
using AttemptDone = std::function<void(core::Result<std::optional<CommandOutcome>>)>;

// One attempt at a command, its `attempt`th from 0 on, without a thread that waits for the append:
// as run_command(), but `done` is called, before this returns or later on a thread of the store
// (EventStore::append_then). `body` has run when this returns.
void attempt_command(EventStore& store, const CommandContext& context, int attempt,
                     const CommandBody& body, AttemptDone done);

}  // namespace tideline::eventsourcing
