// Table contact_remark: what people call their contacts. Part of GraphProjection; each row belongs
// to the one stream of owner and other, and stays without a text when the remark ends.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

class RemarkModel {
 public:
  static constexpr std::array kTables{"contact_remark"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { rows_.clear(); }

 private:
  struct Row {
    std::optional<std::string> sealed_remark;
    core::StreamVersion version;
  };
  using Key = std::pair<core::AccountId, core::AccountId>;  // owner, other

  std::map<Key, Row> rows_;  // as the last event since the last flush left them
};

}  // namespace tideline::social_graph
