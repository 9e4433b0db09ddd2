// Table contact: what stands between two people, once from the side of each. Part of
// GraphProjection; each row belongs to the one stream of its pair.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// As `owner` sees `other`. None is kept, so that the row's version still tells older events.
enum class Relation { None, Outgoing, Incoming, Contact };
std::string_view name_of(Relation relation);

class ContactModel {
 public:
  static constexpr std::array kTables{"contact"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { rows_.clear(); }

 private:
  struct Row {
    Relation relation;
    core::Timestamp since;
    core::StreamVersion version;
  };
  struct Key {
    core::AccountId owner;
    core::AccountId other;
    auto operator<=>(const Key&) const = default;
  };

  void set(const eventsourcing::RecordedEvent& event, const core::AccountId& owner,
           const core::AccountId& other, Relation relation);

  std::map<Key, Row> rows_;  // as the last event since the last flush left them
};

}  // namespace tideline::social_graph
