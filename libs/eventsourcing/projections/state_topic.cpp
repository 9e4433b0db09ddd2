#include "eventsourcing/projections/state_topic.hpp"

#include <algorithm>
#include <utility>

namespace tideline::eventsourcing {

using std::chrono::milliseconds;

class InMemoryStateTopic::Source final : public StateSource {
 public:
  explicit Source(InMemoryStateTopic& topic) : topic_(topic), next_(topic.partitions_.size()) {}

  std::uint32_t partitions() const override { return static_cast<std::uint32_t>(next_.size()); }

  core::Result<StatePoll> poll(std::chrono::milliseconds timeout) override {
    std::unique_lock lock(topic_.mutex_);
    const auto sought = [](const auto& next) { return next.has_value(); };
    if (!std::all_of(next_.begin(), next_.end(), sought)) return StatePoll{};
    topic_.published_.wait_for(lock, ends_told_ ? timeout : milliseconds(0), [&] {
      for (std::uint32_t i = 0; i < partitions(); ++i) {
        if (*next_[i] < topic_.partitions_[i].size()) return true;
      }
      return false;
    });
    StatePoll result;
    for (std::uint32_t i = 0; i < partitions(); ++i) {
      const auto& records = topic_.partitions_[i];
      if (*next_[i] > records.size()) next_[i] = 0;  // as Kafka's readers do behind an end
      for (; *next_[i] < records.size(); ++*next_[i]) result.records.push_back(records[*next_[i]]);
      result.ends_reached.emplace(i, static_cast<std::int64_t>(*next_[i]));
    }
    ends_told_ = true;
    return result;
  }

  core::Status seek(std::uint32_t partition, core::KafkaOffset offset) override {
    next_.at(partition) = static_cast<std::size_t>(offset.value());
    ends_told_ = false;
    return core::success();
  }

 private:
  InMemoryStateTopic& topic_;
  std::vector<std::optional<std::size_t>> next_;
  bool ends_told_ = false;
};

InMemoryStateTopic::InMemoryStateTopic(std::uint32_t partitions) : partitions_(partitions) {}

core::Status InMemoryStateTopic::send(const std::vector<StateUpdate>& updates,
                                      std::int64_t edition) {
  {
    const std::lock_guard lock(mutex_);
    for (const StateUpdate& update : updates) {
      const auto partition =
          core::log_of(update.key, static_cast<std::uint32_t>(partitions_.size())).value();
      auto& records = partitions_[partition];
      const core::KafkaOffset offset(static_cast<std::int64_t>(records.size()));
      records.push_back({partition, offset, edition, update.key, update.value});
    }
  }
  published_.notify_all();
  return core::success();
}

core::Status InMemoryStateTopic::send_applied(const PositionVector& applied, std::int64_t edition) {
  {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
      const core::KafkaOffset offset(static_cast<std::int64_t>(partitions_[i].size()));
      partitions_[i].push_back({i, offset, edition, "", std::nullopt, applied});
    }
  }
  published_.notify_all();
  return core::success();
}

core::Result<std::vector<core::KafkaOffset>> InMemoryStateTopic::ends() {
  const std::lock_guard lock(mutex_);
  std::vector<core::KafkaOffset> ends;
  for (const auto& records : partitions_) ends.emplace_back(records.size());
  return ends;
}

void InMemoryStateTopic::put_back(std::size_t records) {
  const std::lock_guard lock(mutex_);
  for (auto& partition : partitions_) partition.resize(std::min(partition.size(), records));
}

std::unique_ptr<StateSource> InMemoryStateTopic::source() {
  return std::make_unique<Source>(*this);
}

}  // namespace tideline::eventsourcing
