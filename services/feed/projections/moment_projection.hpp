// Table `moment`: what is shown of a moment once the engine has said that it may be shown. Used by
// one runner thread.
#pragma once

#include <map>

#include "eventsourcing/projection.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class MomentProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "moments"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  std::vector<std::string> tables() const override { return {"moment"}; }
  void load(eventsourcing::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(eventsourcing::Transaction& transaction) override;
  void flushed() override { changed_.clear(); }

 private:
  struct Change {
    read::MomentPublished published;  // of a deleted moment only id and author count
    bool deleted = false;
  };

  std::map<core::MomentId, Change> changed_;  // since the last flush
};

}  // namespace tideline::feed
