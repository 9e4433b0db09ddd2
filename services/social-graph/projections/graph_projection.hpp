// The read model of the whole service: blocks, contacts, follows, tags, moment settings and groups,
// from this service's own events.
//
// Every row but a count of follows belongs to one stream and carries that stream's version; a row
// takes only what is newer, and the counts what has changed of the rows. So all interleavings of
// the logs end in the same tables, and an event that comes again changes nothing. Called by one
// runner thread.
#pragma once

#include "blocks/block_model.hpp"
#include "eventsourcing/projections/model_projection.hpp"
#include "social-graph/projections/contact_model.hpp"
#include "social-graph/projections/follow_model.hpp"
#include "social-graph/projections/group_model.hpp"
#include "social-graph/projections/moment_setting_model.hpp"
#include "social-graph/projections/remark_model.hpp"
#include "social-graph/projections/suggestion_model.hpp"
#include "social-graph/projections/tag_model.hpp"

namespace tideline::social_graph {

class GraphProjection final
    : public eventsourcing::ModelProjection<blocks::BlockModel, ContactModel, RemarkModel,
                                            SuggestionModel, FollowModel, TagModel,
                                            MomentSettingModel, GroupModel> {
 public:
  std::string_view name() const override { return "graph"; }
  std::vector<std::string> sources() const override { return {"social-graph"}; }
};

}  // namespace tideline::social_graph
