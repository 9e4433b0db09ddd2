// Random concurrent appends against a store, recorded as a History.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eventsourcing/store/event_store.hpp"
#include "eventsourcing/testing/serial_history.hpp"

namespace tideline::eventsourcing::testing {

inline void in_parallel(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back([&work, i] { work(i); });
  for (std::thread& thread : running) thread.join();
}

struct WantedAppend {
  std::string marker;
  Append append;
  bool fresh = false;  // its versions are read when its turn comes, as a command does
  int calls = 1;       // more than one: repeated as it is, as by a client that heard nothing
};
using WantedHistory = std::vector<std::vector<WantedAppend>>;  // by writer

// Streams, keys and versions are few, so that appends get into each other's way. To be called where
// rapidcheck generates.
inline WantedAppend random_append(const std::string& prefix, const std::string& marker,
                                  core::Timestamp now) {
  WantedAppend wanted;
  wanted.marker = marker;
  Append& append = wanted.append;
  append.time = now;
  append.metadata.correlation_id = marker;
  append.result.status = 200;
  append.result.body = marker;
  wanted.fresh = *rc::gen::inRange(0, 3) > 0;
  const auto version = [] { return core::StreamVersion(*rc::gen::inRange<std::uint64_t>(0, 4)); };
  const int roles = *rc::gen::inRange(1, 4);  // the first of these streams are written
  const int written = *rc::gen::inRange(0, 4) == 0 ? 0 : *rc::gen::inRange(1, roles + 1);
  std::vector<int> streams{0, 1, 2, 3};
  for (int i = 0; i < roles; ++i) {
    std::swap(streams[i], streams[*rc::gen::inRange(i, 4)]);
    const core::StreamId stream(prefix + "-" + std::to_string(streams[i]));
    if (i >= written) {
      append.assertions.push_back({stream, version()});
      continue;
    }
    append.streams.push_back({stream, version(), {}});
    for (int event = *rc::gen::inRange(1, 3); event > 0; --event) {
      append.streams.back().events.push_back(
          {marker, core::SchemaVersion(1), std::to_string(event), Visibility::Public});
    }
  }
  if (append.streams.empty() || *rc::gen::inRange(0, 2) == 0) {
    const int key = *rc::gen::inRange(0, 4);
    const std::string hash = *rc::gen::inRange(0, 4) == 0 ? "other" : "hash";
    append.idempotency = IdempotencyKey{prefix, "r", std::to_string(key), hash};
    wanted.calls = *rc::gen::inRange(1, 3);
  }
  return wanted;
}

inline WantedHistory random_history(const std::string& prefix, int writers, core::Timestamp now) {
  WantedHistory wanted(static_cast<std::size_t>(writers));
  for (int writer = 0; writer < writers; ++writer) {
    const int count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i) {
      const std::string marker = prefix + "." + std::to_string(writer) + "." + std::to_string(i);
      wanted[static_cast<std::size_t>(writer)].push_back(random_append(prefix, marker, now));
    }
  }
  return wanted;
}

class HistoryRun {
 public:
  // Writers take the two stores in turns; the log is that of a third party, who only reads.
  HistoryRun(std::function<EventStore&(int replica)> store_of, EventLog& log)
      : store_of_(std::move(store_of)), log_(log) {
    history_.service = store_of_(0).service();
    history_.before = log_.heads().value();
  }

  // `settle` is called when the writers are done, before the logs are read for the last time.
  History run(
      const WantedHistory& wanted, const std::function<void()>& settle = [] {}) {
    std::vector<std::vector<Told>> told(wanted.size());
    std::thread observer([&] { observe(); });
    in_parallel(static_cast<int>(wanted.size()), [&](int writer) {
      for (const WantedAppend& one : wanted[static_cast<std::size_t>(writer)]) {
        call(one, writer, told[static_cast<std::size_t>(writer)]);
      }
    });
    settle();
    done_ = true;
    observer.join();
    for (auto& part : told) {
      for (Told& one : part) history_.told.push_back(std::move(one));
    }
    history_.logs = read_logs();
    return std::move(history_);
  }

  // "" if whoever read while the writers wrote saw every log grow at its end only.
  const std::string& observed() const { return observed_; }

 private:
  static constexpr int kRepeatsMax = 30;

  void call(const WantedAppend& wanted, int writer, std::vector<Told>& told) {
    Append append = wanted.append;
    if (wanted.fresh) {
      for (StreamAppend& part : append.streams) part.expected = version_of(part.stream, writer);
      for (StreamAssertion& part : append.assertions) {
        part.expected = version_of(part.stream, writer);
      }
    }
    int left = wanted.calls;
    for (int i = 0; left > 0 && i < kRepeatsMax; ++i) {
      Told one{wanted.marker, append, std::nullopt, false, ++ticks_};
      EventStore& store = store_of_((writer + i) % 2);
      const bool waits = ticks_ % 2 == 0;
      const auto outcome = waits ? store.append(append) : append_called_back(store, append);
      one.perhaps = !outcome.ok() && outcome.error().code == core::ErrorCode::Timeout;
      if (outcome.ok()) one.outcome = *outcome;
      one.ended = ++ticks_;
      told.push_back(std::move(one));
      // Nobody knows: the one that has a key asks again, the one that has none must leave it.
      if (outcome.ok() || !append.idempotency) --left;
    }
  }

  core::StreamVersion version_of(const core::StreamId& stream, int writer) {
    const auto last = store_of_(writer % 2).read_last(stream);
    return last.ok() && *last ? (*last)->version : core::StreamVersion(0);
  }

  std::vector<std::vector<RecordedEvent>> read_logs() {
    std::vector<std::vector<RecordedEvent>> logs;
    for (std::uint32_t log = 0; log < log_.logs(); ++log) {
      logs.push_back(log_.read_log(core::LogIndex(log), history_.before[log], 1'000'000).value());
    }
    return logs;
  }

  void observe() {
    std::vector<std::vector<RecordedEvent>> seen(log_.logs());
    for (bool last = false; !last;) {
      last = done_;
      const auto now = read_logs();
      for (std::size_t log = 0; log < now.size(); ++log) {
        const bool grown =
            now[log].size() >= seen[log].size() &&
            std::equal(seen[log].begin(), seen[log].end(), now[log].begin(),
                       [](const auto& one, const auto& other) { return one.id == other.id; });
        if (!grown) observed_ = "log " + std::to_string(log) + " changed where it had been read";
        for (std::size_t at = 0; at < now[log].size(); ++at) {
          if (now[log][at].position.value() == history_.before[log].value() + at + 1) continue;
          observed_ = "log " + std::to_string(log) + " had a gap";
        }
      }
      seen = now;
    }
  }

  const std::function<EventStore&(int)> store_of_;
  EventLog& log_;
  History history_;
  std::string observed_;
  std::atomic<std::uint64_t> ticks_{0};
  std::atomic<bool> done_{false};
};

}  // namespace tideline::eventsourcing::testing
