// Tables `moment` and `moment_edit`: what is shown of a moment and of its later texts once the
// engine has said that it may be shown. Used by one runner thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "eventsourcing/projections/projection.hpp"
#include "feed/projections/events_read.hpp"

namespace tideline::feed {

class MomentProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "moments"; }
  std::vector<std::string> sources() const override { return {"feed"}; }
  std::vector<std::string> tables() const override { return {"moment", "moment_edit"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  struct Change {
    read::MomentPublished published;  // of a deleted moment only id and author count
    bool deleted = false;
  };

  using EditKey = std::pair<core::MomentId, std::uint32_t>;

  void write_moments(sql::Transaction& transaction) const;
  void write_edits(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<core::MomentId, Change> changed_;
  std::map<EditKey, read::MomentEdited> edited_;
};

}  // namespace tideline::feed
