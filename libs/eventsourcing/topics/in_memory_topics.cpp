#include "eventsourcing/topics/in_memory_topics.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tideline::eventsourcing {

class InMemoryTopics::Source final : public RecordSource {
 public:
  Source(InMemoryTopics& topics, std::vector<std::string> services, bool assigned)
      : topics_(topics), services_(std::move(services)) {
    const std::lock_guard lock(topics_.mutex_);
    changes_seen_ = topics_.changes_.size();
    if (!assigned) return;
    for (const std::string& service : services_) {
      for (std::uint32_t log = 0; log < topics_.logs_; ++log) {
        assigned_at_first_.push_back({service, core::LogIndex(log)});
      }
    }
  }

  core::Result<PollResult> poll(std::chrono::milliseconds timeout) override {
    std::unique_lock lock(topics_.mutex_);
    ++topics_.polls_;
    if (topics_.failing_polls_ > 0) {
      --topics_.failing_polls_;
      return core::unavailable("a poll that was told to fail");
    }
    PollResult result;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    do {
      take_changes(result);
      take_records(result);
    } while (result.records.empty() && result.revoked.empty() && result.assigned.empty() &&
             topics_.published_.wait_until(lock, deadline) != std::cv_status::timeout);
    return result;
  }

  core::Status seek(const SourcePartition& partition, core::KafkaOffset offset) override {
    const std::lock_guard lock(topics_.mutex_);
    const auto found = cursors_.find(partition);
    if (found == cursors_.end()) return core::invalid_input("seeks a partition that it has not");
    found->second.next = offset;
    return core::success();
  }

  core::Status pause(const SourcePartition& partition) override { return flow(partition, true); }
  core::Status resume(const SourcePartition& partition) override { return flow(partition, false); }

  void show_progress(const std::map<SourcePartition, core::KafkaOffset>&) override {
    const std::lock_guard lock(topics_.mutex_);
    ++topics_.progress_shown_;
  }

  core::Result<std::map<SourcePartition, core::KafkaOffset>> end_offsets() override {
    const std::lock_guard lock(topics_.mutex_);
    ++topics_.end_questions_;
    if (topics_.ends_hidden_) return core::unavailable("the ends were told to be unknown");
    std::map<SourcePartition, core::KafkaOffset> ends;
    for (const std::string& service : services_) {
      for (std::uint32_t log = 0; log < topics_.logs_; ++log) {
        const SourcePartition partition{service, core::LogIndex(log)};
        ends[partition] =
            core::KafkaOffset(static_cast<std::int64_t>(topics_.partitions_[partition].size()));
      }
    }
    return ends;
  }

 private:
  static constexpr std::size_t kRecordsMax = 500;
  struct Cursor {
    std::optional<core::KafkaOffset> next;
    bool paused = false;
  };

  core::Status flow(const SourcePartition& partition, bool paused) {
    const std::lock_guard lock(topics_.mutex_);
    const auto found = cursors_.find(partition);
    if (found != cursors_.end()) found->second.paused = paused;
    return core::success();
  }

  void take_changes(PollResult& result) {
    for (const SourcePartition& partition : std::exchange(assigned_at_first_, {})) {
      cursors_[partition] = {};
      result.assigned.push_back(partition);
    }
    for (; changes_seen_ < topics_.changes_.size(); ++changes_seen_) {
      const auto& [partition, assigned] = topics_.changes_[changes_seen_];
      if (std::find(services_.begin(), services_.end(), partition.service) == services_.end()) {
        continue;
      }
      if (assigned) {
        cursors_[partition] = {};
        result.assigned.push_back(partition);
      } else {
        cursors_.erase(partition);
        result.revoked.push_back(partition);
        std::erase(result.assigned, partition);
      }
    }
  }

  void take_records(PollResult& result) {
    for (auto& [partition, cursor] : cursors_) {
      if (!cursor.next || cursor.paused) continue;
      const auto& records = topics_.partitions_[partition];
      // As Kafka does with an offset that it does not hold.
      const auto end = static_cast<std::int64_t>(records.size());
      if (cursor.next->value() > end) cursor.next = core::KafkaOffset(0);
      while (cursor.next->value() < end && result.records.size() < kRecordsMax) {
        result.records.push_back(records[static_cast<std::size_t>(cursor.next->value())]);
        cursor.next = core::KafkaOffset(cursor.next->value() + 1);
      }
    }
  }

  InMemoryTopics& topics_;
  const std::vector<std::string> services_;
  std::vector<SourcePartition> assigned_at_first_;
  std::map<SourcePartition, Cursor> cursors_;
  std::size_t changes_seen_ = 0;
};

core::KafkaOffset InMemoryTopics::publish(RecordedEvent event) {
  if (event.visibility == Visibility::Private) event.data.clear();
  core::KafkaOffset offset;
  {
    const std::lock_guard lock(mutex_);
    auto& records = partitions_[{event.source, event.log}];
    offset = core::KafkaOffset(static_cast<std::int64_t>(records.size()));
    records.push_back({std::move(event), offset});
  }
  published_.notify_all();
  return offset;
}

core::Result<std::size_t> InMemoryTopics::publish_from(EventLog& log, const std::string& service) {
  constexpr std::size_t kBatch = 1000;
  std::size_t published = 0;
  for (std::uint32_t index = 0; index < log.logs(); ++index) {
    core::LogPosition last;
    {
      const std::lock_guard lock(mutex_);
      for (const SourceRecord& record : partitions_[{service, core::LogIndex(index)}]) {
        last = std::max(last, record.event.position);
      }
    }
    while (true) {
      auto events = log.read_log(core::LogIndex(index), last, kBatch);
      if (!events) return events.error();
      for (RecordedEvent& event : *events) {
        last = event.position;
        publish(std::move(event));
        ++published;
      }
      if (events->size() < kBatch) break;
    }
  }
  return published;
}

std::unique_ptr<RecordSource> InMemoryTopics::source(std::vector<std::string> services) {
  return std::make_unique<Source>(*this, std::move(services), true);
}

std::unique_ptr<RecordSource> InMemoryTopics::spare_source(std::vector<std::string> services) {
  return std::make_unique<Source>(*this, std::move(services), false);
}

void InMemoryTopics::revoke(const SourcePartition& partition) {
  {
    const std::lock_guard lock(mutex_);
    changes_.push_back({partition, false});
  }
  published_.notify_all();
}

void InMemoryTopics::assign(const SourcePartition& partition) {
  {
    const std::lock_guard lock(mutex_);
    changes_.push_back({partition, true});
  }
  published_.notify_all();
}

void InMemoryTopics::fail_polls(std::size_t count) {
  const std::lock_guard lock(mutex_);
  failing_polls_ = count;
}

void InMemoryTopics::hide_ends(bool hidden) {
  const std::lock_guard lock(mutex_);
  ends_hidden_ = hidden;
}

void InMemoryTopics::truncate(const SourcePartition& partition, std::size_t records) {
  const std::lock_guard lock(mutex_);
  partitions_[partition].resize(records);
}

std::size_t InMemoryTopics::polls() const {
  const std::lock_guard lock(mutex_);
  return polls_;
}

std::size_t InMemoryTopics::end_questions() const {
  const std::lock_guard lock(mutex_);
  return end_questions_;
}

std::size_t InMemoryTopics::progress_shown() const {
  const std::lock_guard lock(mutex_);
  return progress_shown_;
}

}  // namespace tideline::eventsourcing
