// The read model of the whole service: contacts, follows, tags, moment settings and groups, from
// this service's own events. One projection, and so one checkpoint: a query that has waited for a
// token sees all tables at it.
//
// Every row belongs to one stream and carries that stream's version; a row takes only what is
// newer. So all interleavings of the logs end in the same tables, and an event that comes again
// changes nothing. Called by one runner thread.
#pragma once

#include "eventsourcing/projections/projection.hpp"
#include "social-graph/projections/contact_model.hpp"
#include "social-graph/projections/follow_model.hpp"
#include "social-graph/projections/group_model.hpp"
#include "social-graph/projections/moment_setting_model.hpp"
#include "social-graph/projections/tag_model.hpp"

namespace tideline::social_graph {

class GraphProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "graph"; }
  std::vector<std::string> sources() const override { return {"social-graph"}; }
  std::vector<std::string> tables() const override {
    return {"contact",           "follow",         "tag",
            "tag_member",        "moment_setting", "social_group",
            "social_group_size", "group_member"};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  ContactModel contacts_;
  FollowModel follows_;
  TagModel tags_;
  MomentSettingModel settings_;
  GroupModel groups_;
};

}  // namespace tideline::social_graph
