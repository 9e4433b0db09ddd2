// Tables `moment_like` and `moment_comment`: what lies under a moment. Part of FeedProjection; a
// row is fed by one stream.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class InteractionModel {
 public:
  static constexpr std::array kTables{"moment_like", "moment_comment"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  using LikeKey = std::pair<core::MomentId, core::AccountId>;
  using CommentKey = std::pair<core::MomentId, core::CommentId>;
  struct CommentChange {
    core::AccountId author;
    std::optional<std::string> sealed_text;  // nullopt once deleted
    core::Timestamp written_at;              // of one that is not deleted
    std::vector<core::AccountId> mentions{};
  };

  // Since the last flush. A like without a time was taken back.
  std::map<LikeKey, std::optional<core::Timestamp>> likes_;
  std::map<CommentKey, CommentChange> comments_;
};

}  // namespace tideline::feed
