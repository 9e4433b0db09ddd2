// Fills table account_project from the events of projects. Called by one runner thread.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "core/ids.hpp"
#include "eventsourcing/projections/projection.hpp"

namespace tideline::accounts {

class ProjectListProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "project-list"; }
  std::vector<std::string> sources() const override { return {"projects"}; }
  std::vector<std::string> tables() const override { return {"account_project"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override { created_.clear(); }

 private:
  std::set<std::pair<core::AccountId, std::string>> created_;
};

}  // namespace tideline::accounts
