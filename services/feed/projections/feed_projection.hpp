// The tables of this service, from its own events: what is shown of moments, likes, comments and
// messages once the engine has said that it may be shown. One projection, and so one checkpoint: a
// query that has waited for a token sees all tables at it. Called by one runner thread.
#pragma once

#include "eventsourcing/projections/projection.hpp"
#include "feed/projections/interaction_model.hpp"
#include "feed/projections/message_model.hpp"
#include "feed/projections/moment_model.hpp"

namespace tideline::feed {

class FeedProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "feed"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  std::vector<std::string> tables() const override {
    return {"moment",  "moment_edit",   "moment_like", "moment_comment",
            "message", "message_entry", "message_read"};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  MomentModel moments_;
  InteractionModel interactions_;
  MessageModel messages_;
};

}  // namespace tideline::feed
