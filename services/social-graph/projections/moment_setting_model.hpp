// Table moment_setting: whom a person does not see, and who must not see him. Part of
// GraphProjection; each row belongs to the one stream of its owner and other.
#pragma once

#include <array>
#include <compare>
#include <map>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

class MomentSettingModel {
 public:
  static constexpr std::array kTables{"moment_setting"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { rows_.clear(); }

 private:
  struct Row {
    bool hides_other;
    bool hidden_from_other;
    core::Timestamp since;
    core::StreamVersion version;
  };
  struct Key {
    core::AccountId owner;
    core::AccountId other;
    auto operator<=>(const Key&) const = default;
  };

  std::map<Key, Row> rows_;  // as the last event since the last flush left them
};

}  // namespace tideline::social_graph
