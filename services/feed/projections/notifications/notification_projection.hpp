// What has been done that concerns somebody, for his list of notifications: candidates alone.
// Whether he may be told of one is asked of the engine whenever the list is read, so that nothing
// has to be taken out of the table when a like is withdrawn, a comment is deleted or an audience
// changes.
//
// How many events have concerned an owner is counted, so that whoever keeps a count of his unread
// ones learns by one number that it may be another. All events of all logs are counted once,
// whatever batches they come in.
//
// Each row is of the first event of one stream, or, between two people, of the last one of the
// stream of their contact; or of a report and the decision on it. So the order of the logs does not
// matter. Called by one runner thread.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "feed/domain/notification_mutes.hpp"
#include "feed/projections/notifications/decided_reports.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {

class NotificationProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "notifications"; }
  std::vector<std::string> sources() const override { return {"feed", "social-graph"}; }
  std::vector<std::string> tables() const override {
    return {"notification", "notification_setting", "notification_change", "notification_case",
            "notification_report"};
  }

  void load(sql::Transaction&) override { flushed(); }
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  struct Key {
    core::AccountId owner;
    NotificationKind kind = NotificationKind::Like;
    core::MomentId moment;
    core::AccountId actor;
    core::CommentId comment;
    auto operator<=>(const Key&) const = default;
  };
  struct Row {
    core::Timestamp at;
    bool direct = false;
  };
  using Pair = std::pair<core::AccountId, core::AccountId>;  // ascending
  struct BetweenTwo {
    core::AccountId from;
    core::AccountId to;
    std::optional<NotificationKind> kind;  // nullopt: there is nothing to tell
    core::Timestamp at;
  };

  void add(const Key& key, const Row& row);
  void set_between(const core::AccountId& from, const core::AccountId& to,
                   std::optional<NotificationKind> kind, core::Timestamp at);
  void apply_interaction(const eventsourcing::RecordedEvent& event);
  void apply_decision(const eventsourcing::RecordedEvent& event);
  void apply_contact(const eventsourcing::RecordedEvent& event);
  void apply_setting(const eventsourcing::RecordedEvent& event);
  void flush_between(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<Key, Row> rows_;
  std::map<Pair, BetweenTwo> between_;
  std::map<core::AccountId, core::Timestamp> seen_;
  std::map<core::AccountId, NotificationsMuted> muted_;
  DecidedReports decided_reports_;
  std::map<core::AccountId, std::int64_t> changes_;  // how many
};

}  // namespace tideline::feed
