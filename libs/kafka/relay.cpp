#include "kafka/relay.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "kafka/log_publication.hpp"
#include "kafka/partition_reader.hpp"
#include "kafka/producer.hpp"
#include "kafka/topics.hpp"

namespace tideline::kafka {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTailTimeout{5000};
constexpr milliseconds kEndsTimeout{1000};
constexpr milliseconds kInFlightWait{2};
// So long after it has sent something it gathers what comes: a read and a request to the broker for
// each commit would cost both of them, and all that wait, more than that.
constexpr milliseconds kGathering{3};
constexpr milliseconds kStopWait{2000};
// Brokers forget a producer a day after its last record.
constexpr std::chrono::hours kIntroduced{1};

}  // namespace

struct Relay::State {
  struct Log {
    core::LogIndex index;
    bool active = false;
    bool lost = false;  // the database lacks what Kafka has: for a person to mend
    LogPublication publication;
    core::LogPosition checkpoint;
    core::LogPosition head;
    core::LogPosition read;  // of the range that is being read
    Clock::time_point sent_again_at{};
    // When brokers last took a record of this log from this producer; none: not since it began.
    std::optional<Clock::time_point> introduced_at;
  };

  State(RelayPorts ports_, RelayOptions options_);

  static std::vector<Log> logs_of(const RelayOptions& options, std::uint32_t logs_of_service);
  void step();
  void wait();
  void finish();

  void begin_logs();
  core::Result<PartitionTails::Checkpoints> claim_logs();
  core::Status begin(Log& log, core::LogPosition checkpoint, const PartitionTail& tail);
  core::Result<std::string> disagreement(const Log& log, const eventsourcing::RecordedEvent& held);
  void begin_again(const std::string& why);
  void take_gap_reports();

  void look_at_heads();
  void look_at_ends();
  bool publish();
  std::vector<eventsourcing::LogRange> next_ranges(std::size_t& next) const;
  bool publish(const eventsourcing::RecordedEvent& event);
  // The first record of a producer goes alone. A broker that does not know the producer takes any
  // of its records for the first: where the partition moves from one that fell silent to such a
  // one, what follows would overtake what the silent one was sent.
  static bool waits_for_introduction(const Log& log) {
    if (log.publication.in_flight() == 0) return false;
    return !log.introduced_at || Clock::now() - *log.introduced_at > kIntroduced;
  }
  bool due(const Log& log) const {
    return log.active && log.publication.sent() < log.head && !waits_for_introduction(log) &&
           log.publication.in_flight() + options.batch_events <= options.in_flight_max;
  }
  void note(const LogProducer::Report& report);
  void advance_checkpoints();

  void fail(const std::string& why);
  void stop_log(Log& log, const std::string& why);
  bool anything_in_flight() const {
    return std::any_of(logs.begin(), logs.end(), [](const Log& log) {
      return log.active && log.publication.in_flight() > 0;
    });
  }
  std::string name_of(const Log& log) const {
    return topic + "/" + std::to_string(log.index.value());
  }
  void say(std::string_view level, const std::string& text) const {
    if (ports.log) ports.log(level, text);
  }
  void publish_status();

  // nullptr: not one of this relay's.
  Log* find(core::LogIndex index) {
    const auto place = place_of.find(index);
    return place == place_of.end() ? nullptr : &logs[place->second];
  }

  RelayPorts ports;
  const RelayOptions options;
  const std::string topic;
  std::vector<Log> logs;
  std::map<core::LogIndex, std::size_t> place_of;  // in `logs`
  PartitionTails tails;
  GapReports gaps;
  std::unique_ptr<LogProducer> producer;
  std::string distrust;  // why the producer is to be replaced; "" = sound

  bool heads_wanted = true;
  Clock::time_point sent_at{};
  Clock::time_point heads_at{};
  Clock::time_point ends_at{};
  Clock::time_point begin_at{};
  Clock::time_point replaced_at{};
  Clock::time_point checkpoints_at{};

  std::uint64_t sent = 0;  // records given to the producer
  std::uint64_t published = 0;
  std::uint64_t producer_restarts = 0;
  std::string problem;
  std::string fatal;
  mutable std::mutex status_mutex;
  RelayStatus status;
};

std::vector<Relay::State::Log> Relay::State::logs_of(const RelayOptions& options,
                                                     std::uint32_t logs_of_service) {
  std::vector<Log> logs;
  for (const core::LogIndex index : options.logs) logs.emplace_back().index = index;
  for (std::uint32_t i = 0; i < logs_of_service && options.logs.empty(); ++i) {
    logs.emplace_back().index = core::LogIndex(i);
  }
  return logs;
}

Relay::State::State(RelayPorts ports_, RelayOptions options_)
    : ports(std::move(ports_)),
      options(std::move(options_)),
      topic(events_topic(options.service)),
      logs(logs_of(options, ports.events.logs())),
      tails(options.brokers, topic, ports.events.logs()),
      gaps(options.brokers) {
  for (std::size_t place = 0; place < logs.size(); ++place) place_of[logs[place].index] = place;
  publish_status();
}

void Relay::State::step() {
  if (producer) producer->poll(milliseconds(0));
  if (producer && !producer->fatal().empty()) distrust = producer->fatal();
  if (!distrust.empty()) begin_again(distrust);
  if (Clock::now() >= begin_at) begin_logs();
  take_gap_reports();
  if (heads_wanted || Clock::now() - heads_at >= options.poll) look_at_heads();
  if (Clock::now() - ends_at >= options.ends_interval) look_at_ends();
  const bool busy = publish();
  if (Clock::now() - checkpoints_at >= options.checkpoint_interval) advance_checkpoints();
  publish_status();
  if (!busy) wait();
}

void Relay::State::wait() {
  const milliseconds timeout = anything_in_flight() ? kInFlightWait : options.poll;
  const auto before = Clock::now();
  ports.events.wait_for_append(timeout);
  auto now = Clock::now();
  if (now - before < timeout) heads_wanted = true;
  for (; producer && now < sent_at + kGathering; now = Clock::now()) {
    producer->poll(std::chrono::ceil<milliseconds>(sent_at + kGathering - now));
  }
}

// --- where a log goes on
// ---------------------------------------------------------------------------

// Claims the logs that are free and goes on with each behind what its partition holds.
void Relay::State::begin_logs() {
  begin_at = Clock::now() + options.claim_interval;
  const auto claimed = claim_logs();
  if (!claimed) return fail(claimed.error().message);
  if (!claimed->empty()) {
    const auto found = tails.read(*claimed, kTailTimeout);
    if (!found) return fail(found.error().message);
    if (!producer) {
      producer = std::make_unique<LogProducer>(
          options.brokers, options.client_id, topic,
          [this](const LogProducer::Report& report) { note(report); });
    }
    for (const auto& [index, tail] : *found) {
      const core::Status begun = begin(*find(index), claimed->at(index), tail);
      if (!begun) return fail(begun.error().message);
    }
    heads_wanted = true;
  }
  problem.clear();
}

// The logs that are newly held, with their checkpoints. One connection holds all claims: asking for
// one that is held tells whether it still does, above all after this process stood still.
core::Result<PartitionTails::Checkpoints> Relay::State::claim_logs() {
  PartitionTails::Checkpoints claimed;
  bool verified = false;
  for (const Log& log : logs) {
    if (log.active && verified) continue;
    const auto mine = ports.checkpoints.claim(log.index);
    if (!mine) return mine.error();
    if (log.active && !*mine) return core::unavailable(name_of(log) + " has another relay now");
    verified = verified || log.active;
    // A lost one is held, so that nobody recovers it under a service that runs.
    if (log.active || log.lost || !*mine) continue;
    const auto checkpoint = ports.checkpoints.load(log.index);
    if (!checkpoint) return checkpoint.error();
    claimed[log.index] = *checkpoint;
  }
  return claimed;
}

core::Status Relay::State::begin(Log& log, core::LogPosition checkpoint,
                                 const PartitionTail& tail) {
  LogPublication::Held held{tail.reached, tail.reached, "", tail.end};
  if (tail.newest) {
    const auto why = disagreement(log, *tail.newest);
    if (!why) return why.error();
    if (!why->empty()) {
      stop_log(log, *why);
      return core::success();
    }
    held.newest = tail.newest->position;
    held.newest_id = tail.newest->id;
  }
  log.checkpoint = checkpoint;
  log.publication.resume(std::move(held));
  log.introduced_at.reset();
  log.head = std::max(log.head, tail.reached);
  log.active = true;
  const std::string behind = std::to_string(tail.reached.value()) + ": publishes again from there";
  if (tail.reached < checkpoint) {
    say("error", name_of(log) + " has lost what was published behind position " + behind);
  } else if (tail.newest && tail.reached < tail.newest->position) {
    say("error", name_of(log) + " has a hole behind position " + behind);
  }
  return core::success();
}

// What speaks against `held`, read from the partition, being an event of this database; "" =
// nothing.
core::Result<std::string> Relay::State::disagreement(const Log& log,
                                                     const eventsourcing::RecordedEvent& held) {
  const auto known =
      ports.events.read_log(log.index, core::LogPosition(held.position.value() - 1), 1);
  if (!known) return known.error();
  const std::string place = name_of(log) + " holds event " + held.id + " at position " +
                            std::to_string(held.position.value());
  if (known->empty() || known->front().position != held.position) {
    return place + ", which the database does not have";
  }
  if (known->front().id != held.id) {
    return place + ", where the database has event " + known->front().id;
  }
  return std::string();
}

void Relay::State::stop_log(Log& log, const std::string& why) {
  log.active = false;
  log.lost = true;
  fatal = "PostgreSQL lost events: " + why;
  say("error", fatal);
}

// After an error every claim is to be made again. What is under way belongs to the time before:
// the producer goes with it, lest its reports are taken for those of what is sent then.
void Relay::State::fail(const std::string& why) {
  if (problem != why) say("warn", why);
  problem = why;
  if (anything_in_flight()) distrust = why;
  for (Log& log : logs) log.active = false;
  begin_at = Clock::now() + options.claim_interval;
}

void Relay::State::begin_again(const std::string& why) {
  say("warn", "replaces the producer: " + why);
  ++producer_restarts;
  producer.reset();
  distrust.clear();
  for (Log& log : logs) log.active = false;
  // At once, unless the last replacement did not help either.
  const bool again = Clock::now() - replaced_at < 5 * options.claim_interval;
  replaced_at = Clock::now();
  begin_at = again ? replaced_at + options.claim_interval : replaced_at;
}

void Relay::State::take_gap_reports() {
  for (const GapReport& report : gaps.take()) {
    Log* missed = find(report.partition.log);
    if (report.partition.service != options.service || missed == nullptr) continue;
    Log& log = *missed;
    const bool just_sent = report.position >= log.publication.run_from() &&
                           Clock::now() - log.sent_again_at < options.republish_interval;
    if (!log.active || just_sent) continue;
    if (!log.publication.send_again(report.position, report.end_offset)) continue;
    log.sent_again_at = Clock::now();
    say("error", "a consumer misses position " + std::to_string(report.position.value()) + " of " +
                     name_of(log) + ": publishes again from there");
  }
}

// --- publication
// -----------------------------------------------------------------------------------

void Relay::State::look_at_heads() {
  heads_wanted = false;
  heads_at = Clock::now();
  const auto heads = ports.events.heads();
  if (!heads) return fail(heads.error().message);
  for (Log& log : logs) {
    log.head = heads->at(log.index.value());
    if (!log.active || log.head >= log.publication.acknowledged()) continue;
    stop_log(log, name_of(log) + " is published up to position " +
                      std::to_string(log.publication.acknowledged().value()) +
                      ", the database ends at " + std::to_string(log.head.value()));
  }
}

// A broker that came back with less than it had acknowledged.
void Relay::State::look_at_ends() {
  ends_at = Clock::now();
  const auto ends = tails.ends(kEndsTimeout);
  if (!ends) return;  // Kafka is away, as the producer notices too
  for (const Log& log : logs) {
    const std::int64_t end = ends->at(log.index.value());
    if (!log.active || end > log.publication.last_offset()) continue;
    distrust = name_of(log) + " ends at offset " + std::to_string(end) + ", where offset " +
               std::to_string(log.publication.last_offset()) + " was acknowledged";
    return;
  }
}

// True: there is more to send at once.
bool Relay::State::publish() {
  const std::uint64_t sent_before = sent;
  bool goes_on = true;
  for (std::size_t next = 0; goes_on && distrust.empty();) {
    const auto ranges = next_ranges(next);
    if (ranges.empty()) break;
    for (const auto& range : ranges) find(range.log)->read = range.after;
    const auto read = ports.events.read_ranges(
        ranges, [&](const auto& event) { return goes_on = publish(event); });
    if (!read) fail(read.error().message);
    producer->poll(milliseconds(0));
  }
  if (sent > sent_before) sent_at = Clock::now();
  const bool more = std::any_of(logs.begin(), logs.end(), [&](const Log& log) { return due(log); });
  return (more && sent > sent_before) || !distrust.empty();
}

// Of the logs from `next` on as many as one round trip is good for, by what they are known to have:
// what has come since is read along. A range begins with the event that was sent last: while nobody
// looked, another database may have taken the place of the one that it came from.
std::vector<eventsourcing::LogRange> Relay::State::next_ranges(std::size_t& next) const {
  std::vector<eventsourcing::LogRange> ranges;
  for (std::uint64_t waiting = 0; next < logs.size(); ++next) {
    const Log& log = logs[next];
    if (!due(log)) continue;
    const std::uint64_t sent_last = log.publication.sent().value();
    waiting += log.head.value() - sent_last;
    if (!ranges.empty() && waiting > options.batch_events) break;
    const std::uint64_t again = sent_last > 0 ? 1 : 0;
    ranges.push_back(
        {log.index, core::LogPosition(sent_last - again), options.batch_events + again});
  }
  return ranges;
}

// False: nothing more of what is being read.
bool Relay::State::publish(const eventsourcing::RecordedEvent& event) {
  Log& log = *find(event.log);
  if (!log.active) return true;  // stopped by an event before this one
  log.read = core::LogPosition(log.read.value() + 1);
  if (event.position != log.read || !log.publication.agrees(event.position, event.id)) {
    const bool lacks = event.position != log.read;
    stop_log(log, name_of(log) + ": at position " + std::to_string(log.read.value()) +
                      " the database has " + (lacks ? "no event" : "event " + event.id) +
                      (lacks ? "" : ", another one than was published"));
    return true;
  }
  if (event.position <= log.publication.sent() || waits_for_introduction(log)) return true;
  const auto taken = producer->produce(event);
  if (!taken) {
    fail(taken.error().message);
    return false;
  }
  if (!*taken) return false;
  log.publication.note_sent(event.position, event.id);
  ++sent;
  return true;
}

void Relay::State::note(const LogProducer::Report& report) {
  Log& log = *find(report.log);
  if (!report.error.empty()) {
    distrust = report.error;
    return;
  }
  ++published;
  // A log that was given up meanwhile begins anew by what its partition holds then.
  if (!log.active || !distrust.empty()) return;
  if (log.publication.delivered(report.position, report.offset)) {
    log.introduced_at = Clock::now();
    return;
  }
  distrust = "the report for position " + std::to_string(report.position.value()) + " of " +
             name_of(log) + " at offset " + std::to_string(report.offset) + " is out of turn";
}

void Relay::State::advance_checkpoints() {
  checkpoints_at = Clock::now();
  std::vector<eventsourcing::CheckpointMove> moves;
  for (const Log& log : logs) {
    const core::LogPosition reached = log.publication.acknowledged();
    if (log.active && reached > log.checkpoint) {
      moves.push_back({log.index, log.checkpoint, reached});
    }
  }
  if (moves.empty()) return;
  const auto moved = ports.checkpoints.advance(moves);
  if (!moved) return fail(moved.error().message);
  for (const auto& move : moves) {
    Log& log = *find(move.log);
    if (moved->contains(move.log)) {
      log.checkpoint = move.to;
      continue;
    }
    ports.checkpoints.release(log.index);
    return fail(name_of(log) + " has another relay now");
  }
}

void Relay::State::finish() {
  const auto deadline = Clock::now() + kStopWait;
  while (producer && anything_in_flight() && distrust.empty() && Clock::now() < deadline) {
    producer->poll(milliseconds(10));
  }
  advance_checkpoints();
  for (Log& log : logs) {
    log.active = false;
    ports.checkpoints.release(log.index);
  }
  producer.reset();
  publish_status();
}

void Relay::State::publish_status() {
  RelayStatus now;
  for (const Log& log : logs) {
    const core::LogPosition reached = log.publication.acknowledged();
    const std::uint64_t lag =
        log.active && log.head > reached ? log.head.value() - reached.value() : 0;
    now.logs.push_back({log.index, log.active, reached, log.checkpoint, lag});
  }
  now.published = published;
  now.producer_restarts = producer_restarts;
  now.problem = problem.empty() && producer ? producer->problem() : problem;
  now.fatal = fatal;
  const std::lock_guard lock(status_mutex);
  status = std::move(now);
}

Relay::Relay(RelayPorts ports, RelayOptions options)
    : state_(std::make_unique<State>(std::move(ports), std::move(options))) {}

Relay::~Relay() = default;

void Relay::run(std::stop_token stop) {
  while (!stop.stop_requested()) state_->step();
  state_->finish();
}

RelayStatus Relay::status() const {
  const std::lock_guard lock(state_->status_mutex);
  return state_->status;
}

}  // namespace tideline::kafka
