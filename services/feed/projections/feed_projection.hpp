// The tables of this service, from its own events: what is shown of moments, likes, comments and
// messages once the engine has said that it may be shown. Called by one runner thread.
#pragma once

#include "eventsourcing/projections/model_projection.hpp"
#include "feed/projections/interaction_model.hpp"
#include "feed/projections/message_model.hpp"
#include "feed/projections/moment_model.hpp"

namespace tideline::feed {

class FeedProjection final
    : public eventsourcing::ModelProjection<MomentModel, InteractionModel, MessageModel> {
 public:
  std::string_view name() const override { return "feed"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
};

}  // namespace tideline::feed
