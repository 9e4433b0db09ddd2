// Tables `moment` and `moment_edit`: moments and their later texts. Part of FeedProjection; the
// rows of a moment are fed by its one stream.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class MomentModel {
 public:
  static constexpr std::array kTables{"moment", "moment_edit"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  struct Change {
    read::MomentPublished published;  // of a deleted moment only id and author count
    bool deleted = false;
  };
  using EditKey = std::pair<core::MomentId, std::uint32_t>;

  void write_moments(sql::Transaction& transaction) const;
  void write_audiences(sql::Transaction& transaction) const;
  void write_edits(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<core::MomentId, Change> changed_;
  std::map<EditKey, read::MomentEdited> edited_;
  std::map<core::MomentId, read::MomentAudienceChanged> audiences_;  // the last of each
};

}  // namespace tideline::feed
