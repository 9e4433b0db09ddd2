// The tables of this service, from its own events: what is shown of moments, likes, comments,
// bookmarks, polls and messages once the engine has said that it may be shown. Called by one runner
// thread.
#pragma once

#include <array>

#include "eventsourcing/projections/model_projection.hpp"
#include "feed/projections/bookmark_model.hpp"
#include "feed/projections/group_message_model.hpp"
#include "feed/projections/interaction_model.hpp"
#include "feed/projections/message_model.hpp"
#include "feed/projections/moderation_model.hpp"
#include "feed/projections/moment_model.hpp"
#include "feed/projections/pinned_moments.hpp"
#include "feed/projections/poll_model.hpp"
#include "sql/day_counts.hpp"

namespace tideline::feed {

// Visits by campus day: a visitor has a stream for each of them, of one event.
class VisitModel {
 public:
  static constexpr std::array kTables{"moment_visit_count"};

  void apply(const eventsourcing::RecordedEvent& event) {
    const auto visited = eventsourcing::read_as<MomentVisited>(event);
    if (visited) counter_.add(core::to_string(visited->moment), visited->day);
  }
  void flush(sql::Transaction& transaction) const { counter_.flush(transaction); }
  void clear() { counter_.clear(); }

 private:
  sql::DayCounter counter_{kTables[0]};
};

class FeedProjection final
    : public eventsourcing::ModelProjection<MomentModel, InteractionModel, MessageModel,
                                            GroupMessageModel, VisitModel, BookmarkModel,
                                            PinnedMomentModel, PollModel, ModerationModel> {
 public:
  std::string_view name() const override { return "feed"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
};

}  // namespace tideline::feed
