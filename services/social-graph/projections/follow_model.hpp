// Table follow: who follows whom, once from the side of each. Part of GraphProjection; each row
// belongs to the one stream of its follower and followee.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <string_view>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// As `owner` sees `other`: one whom he follows, or one who follows him.
enum class FollowDirection { Following, Followers };
std::string_view name_of(FollowDirection direction);

class FollowModel {
 public:
  static constexpr std::array kTables{"follow"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { rows_.clear(); }

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

  std::map<Key, Row> rows_;  // as the last event since the last flush left them
};

}  // namespace tideline::social_graph
