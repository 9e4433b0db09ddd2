// Table follow: who follows whom, once from the side of each. Each row belongs to the one stream of
// its follower and followee. Table follow_count: how many of a person's rows are active; what a
// flush changes of them is added to it. Table follow_setting: who sees these numbers; a stream
// each. Part of GraphProjection.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <string_view>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "social-graph/domain/follow_setting.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// As `owner` sees `other`: one whom he follows, or one who follows him.
enum class FollowDirection { Following, Followers };
std::string_view name_of(FollowDirection direction);

class FollowModel {
 public:
  static constexpr std::array kTables{"follow", "follow_count", "follow_setting"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() {
    rows_.clear();
    settings_.clear();
  }

 private:
  struct Row {
    bool active;
    core::Timestamp since;
    core::StreamVersion version;
  };
  struct Key {
    core::AccountId owner;
    FollowDirection direction;
    core::AccountId other;
    auto operator<=>(const Key&) const = default;
  };

  struct SettingRow {
    CountAudience shown_to = CountAudience::Nobody;
    core::StreamVersion version;
  };

  void apply_setting(const eventsourcing::RecordedEvent& event);
  void flush_follows(sql::Transaction& transaction) const;
  void flush_settings(sql::Transaction& transaction) const;

  // As the last event since the last flush left them.
  std::map<Key, Row> rows_;
  std::map<core::AccountId, SettingRow> settings_;
};

}  // namespace tideline::social_graph
