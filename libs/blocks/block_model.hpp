// Fills table person_block: a model for a projection that reads social-graph. Rows of ended blocks
// stay, because they hold the version.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/model_projection.hpp"
#include "sql/transaction.hpp"

namespace tideline::blocks {

class BlockModel {
 public:
  static constexpr std::array kTables{"person_block"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear() { rows_.clear(); }

 private:
  struct Row {
    bool active = false;
    core::Timestamp since;
    core::StreamVersion version;
  };
  using Key = std::pair<core::AccountId, core::AccountId>;  // who blocks whom

  std::map<Key, Row> rows_;  // as the last event since the last flush left them
};

// For services that have no other use for the events of social-graph.
class BlockProjection final : public eventsourcing::ModelProjection<BlockModel> {
 public:
  std::string_view name() const override { return "blocks"; }
  std::vector<std::string> sources() const override { return {"social-graph"}; }
};

}  // namespace tideline::blocks
