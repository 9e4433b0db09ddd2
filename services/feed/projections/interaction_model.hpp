// Tables `moment_like` and `moment_comment`: what is shown of likes and comments once the engine
// has said that they may be shown. A row is fed by one stream. Used by one runner thread.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "eventsourcing/projections/projection.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class InteractionProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "interactions"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  std::vector<std::string> tables() const override { return {"moment_like", "moment_comment"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  struct CommentChange {
    core::AccountId author;
    std::optional<std::string> sealed_text;  // nullopt once deleted
    core::Timestamp written_at;              // of one that is not deleted
  };

  void write_likes(sql::Transaction& transaction) const;
  void write_comments(sql::Transaction& transaction) const;

  // Since the last flush. A like without a time was taken back.
  std::map<std::pair<core::MomentId, core::AccountId>, std::optional<core::Timestamp>> likes_;
  std::map<std::pair<core::MomentId, core::CommentId>, CommentChange> comments_;
};

}  // namespace tideline::feed
