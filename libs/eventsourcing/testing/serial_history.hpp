// Was a history of concurrent appends one that some serial order explains? The order is looked for,
// and then played through the in-memory store, one append after the other: it must give the same
// outcomes, positions and logs.
//
// The order must hold what is known of it: the positions in each log; that a version was seen after
// it was written and before the next one was; that a key was new before its owner and known after
// it; and real time, for appends of which one had returned before the other began.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/store/in_memory_event_store.hpp"

namespace tideline::eventsourcing::testing {

// One call of append(), which names no stream twice. Its marker is the type of its events and the
// body of its result; calls that repeat an append share it, no others do.
struct Told {
  std::string marker;
  Append append;
  std::optional<AppendOutcome> outcome;  // none: it failed
  bool perhaps = false;     // it failed with Timeout: it may have been done all the same
  std::uint64_t began = 0;  // of one clock for all calls
  std::uint64_t ended = std::numeric_limits<std::uint64_t>::max();
};

// What was there before, and all that has come since. `logs[p]` are the events of log p after
// `before[p]`, as they are read at the end.
struct History {
  std::string service;
  std::vector<core::LogPosition> before;
  std::vector<Told> told;
  std::vector<std::vector<RecordedEvent>> logs;
};

class SerialOrder {
 public:
  explicit SerialOrder(const History& history) : history_(history) {
    for (const Told& one : history.told) calls_.push_back(one);
    add_calls_of_unknown_outcome();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!is<Appended>(i)) continue;
      writer_[calls_[i].marker] = i;
      if (calls_[i].append.idempotency) owner_[name_of(*calls_[i].append.idempotency)] = i;
    }
  }

  // "" if there is a serial order that explains the history, else what is wrong.
  std::string why_not() {
    if (wrong_.empty()) add_edges_of_logs();
    for (std::size_t i = 0; i < calls_.size() && wrong_.empty(); ++i) {
      add_edges_of_versions(i);
      add_edges_of_key(i);
      for (std::size_t j = 0; j < calls_.size(); ++j) {
        if (calls_[i].ended < calls_[j].began) put(i, j);
      }
    }
    if (!wrong_.empty()) return wrong_;
    const auto order = sorted();
    if (order.size() != calls_.size()) return "no serial order holds what was seen";
    return replay(order);
  }

 private:
  using KeyName = std::tuple<std::string, std::string, std::string>;
  using Version = std::pair<std::string, std::uint64_t>;

  static KeyName name_of(const IdempotencyKey& key) { return {key.scope, key.route, key.key}; }
  template <class Outcome>
  bool is(std::size_t call) const {
    return calls_[call].outcome && std::holds_alternative<Outcome>(*calls_[call].outcome);
  }
  void put(std::size_t earlier, std::size_t later) {
    if (earlier != later) after_[earlier].insert(later);
  }

  // A call of which nobody was told, but whose events or result have been seen, was done.
  void add_calls_of_unknown_outcome() {
    std::set<std::string> seen;
    for (const auto& log : history_.logs) {
      for (const RecordedEvent& event : log) seen.insert(event.type);
    }
    for (const Told& one : history_.told) {
      if (!one.outcome) continue;
      if (const auto* done = std::get_if<AlreadyDone>(&*one.outcome))
        seen.insert(done->result.body);
    }
    for (const Told& one : history_.told) {
      if (one.outcome && std::holds_alternative<Appended>(*one.outcome)) seen.erase(one.marker);
    }
    for (Told& one : calls_) {
      if (one.outcome || !one.perhaps || seen.erase(one.marker) == 0) continue;
      one.outcome = Appended{};
      one.ended = std::numeric_limits<std::uint64_t>::max();
    }
    std::erase_if(calls_, [](const Told& one) { return !one.outcome; });
    if (!seen.empty()) wrong_ = *seen.begin() + " is there, but nobody was told that it was done";
  }

  void add_edges_of_logs() {
    for (const auto& log : history_.logs) {
      for (std::size_t at = 0; at < log.size(); ++at) {
        const auto writer = writer_.find(log[at].type);
        if (writer == writer_.end()) return void(wrong_ = log[at].type + " has no writer");
        if (at > 0) put(writer_.at(log[at - 1].type), writer->second);
        const Version before{log[at].stream.value(), log[at].version.value() - 1};
        const auto left = brings_to_.find(before);
        if (left != brings_to_.end() && left->second == writer->second) {
          brings_to_.erase(left);  // in the middle of an append a stream is never seen
        } else {
          takes_from_[before] = writer->second;
        }
        brings_to_[{before.first, before.second + 1}] = writer->second;
      }
    }
  }

  void saw(std::size_t call, const core::StreamId& stream, core::StreamVersion version) {
    const Version seen{stream.value(), version.value()};
    if (const auto next = takes_from_.find(seen); next != takes_from_.end())
      put(call, next->second);
    if (version.value() == 0) return;
    const auto writer = brings_to_.find(seen);
    if (writer == brings_to_.end()) {
      wrong_ = calls_[call].marker + " saw " + stream.value() + " at " +
               std::to_string(version.value()) + ", where nobody has left it";
      return;
    }
    put(writer->second, call);
  }

  // Everything up to the first conflict stood where the append expected it.
  void add_edges_of_versions(std::size_t call) {
    if (!is<Appended>(call) && !is<VersionConflict>(call)) return;
    const auto* conflict = std::get_if<VersionConflict>(&*calls_[call].outcome);
    const Append& append = calls_[call].append;
    for (const StreamAssertion& assertion : append.assertions) {
      if (conflict != nullptr && assertion.stream == conflict->stream &&
          assertion.expected != conflict->actual) {
        return saw(call, conflict->stream, conflict->actual);
      }
      saw(call, assertion.stream, assertion.expected);
    }
    for (const StreamAppend& part : append.streams) {
      const bool conflicts = conflict != nullptr && part.stream == conflict->stream;
      saw(call, part.stream, conflicts ? conflict->actual : part.expected);
      if (conflicts) return;
    }
  }

  void add_edges_of_key(std::size_t call) {
    if (!calls_[call].append.idempotency) return;
    const auto owner = owner_.find(name_of(*calls_[call].append.idempotency));
    const bool knew = is<AlreadyDone>(call) || is<KeyReused>(call);
    if (owner == owner_.end()) {
      if (knew) wrong_ = calls_[call].marker + " was told of a key that nobody has used";
      return;
    }
    if (knew) {
      put(owner->second, call);
    } else {
      put(call, owner->second);
    }
  }

  std::vector<std::size_t> sorted() const {
    std::vector<std::size_t> waits_for(calls_.size(), 0);
    for (const auto& [call, later] : after_) {
      for (const std::size_t other : later) ++waits_for[other];
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (waits_for[i] == 0) order.push_back(i);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto later = after_.find(order[at]);
      if (later == after_.end()) continue;
      for (const std::size_t other : later->second) {
        if (--waits_for[other] == 0) order.push_back(other);
      }
    }
    return order;
  }

  // As the model has it, which began with empty logs.
  PositionVector moved(const PositionVector& positions) const {
    PositionVector since;
    for (const auto& [service, logs] : positions.services()) {
      for (const auto& [log, position] : logs) {
        since.raise(service, log,
                    core::LogPosition(position.value() - history_.before[log.value()].value()));
      }
    }
    return since;
  }

  bool same(const AppendOutcome& model, const Told& told) const {
    const AppendOutcome& real = *told.outcome;
    if (model.index() != real.index()) return false;
    if (const auto* appended = std::get_if<Appended>(&real)) {
      return told.perhaps || moved(appended->positions) == std::get<Appended>(model).positions;
    }
    if (const auto* done = std::get_if<AlreadyDone>(&real)) {
      const StoredResult& expected = std::get<AlreadyDone>(model).result;
      return done->result.body == expected.body && done->result.status == expected.status &&
             moved(done->result.positions) == expected.positions;
    }
    if (const auto* conflict = std::get_if<VersionConflict>(&real)) {
      const auto& expected = std::get<VersionConflict>(model);
      return conflict->stream == expected.stream && conflict->actual == expected.actual;
    }
    return true;
  }

  std::string replay(const std::vector<std::size_t>& order) const {
    const core::ManualClock clock{core::Timestamp()};
    core::SeededRandom random(1);
    const auto logs = static_cast<std::uint32_t>(history_.logs.size());
    InMemoryEventStore model(history_.service, logs, clock, random);
    for (const std::size_t call : order) {
      const auto outcome = model.append(calls_[call].append);
      if (!outcome.ok() || !same(*outcome, calls_[call])) {
        return calls_[call].marker + " was told what the serial order does not give";
      }
    }
    for (std::uint32_t log = 0; log < logs; ++log) {
      const auto expected =
          model.read_log(core::LogIndex(log), core::LogPosition(0), 1'000'000).value();
      const auto& real = history_.logs[log];
      const bool equal = std::equal(
          real.begin(), real.end(), expected.begin(), expected.end(),
          [&](const RecordedEvent& one, const RecordedEvent& other) {
            return one.type == other.type && one.stream == other.stream &&
                   one.version == other.version && one.data == other.data &&
                   one.position.value() - history_.before[log].value() == other.position.value();
          });
      if (!equal) return "log " + std::to_string(log) + " is not what the serial order gives";
    }
    return "";
  }

  const History& history_;
  std::vector<Told> calls_;
  std::map<std::string, std::size_t> writer_;  // by marker
  std::map<KeyName, std::size_t> owner_;
  std::map<Version, std::size_t> takes_from_;  // who found the stream there and wrote on
  std::map<Version, std::size_t> brings_to_;   // who left the stream there
  std::map<std::size_t, std::set<std::size_t>> after_;
  std::string wrong_;
};

inline std::string why_not_serial(const History& history) { return SerialOrder(history).why_not(); }

}  // namespace tideline::eventsourcing::testing
