// Fills table account_project from the events of projects: those of a person that are not
// withdrawn. A project's events are of one stream, so the last one says whether it is there. Called
// by one runner thread.
#pragma once

#include <map>
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
  void flushed() override { shown_.clear(); }

 private:
  // Since the last flush: author and project, and whether it is shown.
  std::map<std::pair<core::AccountId, std::string>, bool> shown_;
};

}  // namespace tideline::accounts
