// Tables `moderation_case`, `moderation_report`, `moderation_decision` and `moderation_hiding`:
// what is reported, by whom, what moderators have decided, and what is hidden. Part of
// FeedProjection. A case and its reports lie in several streams: what each says is merged by the
// number of the opening, in whatever order it comes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class ModerationModel {
 public:
  static constexpr std::array kTables{"moderation_case", "moderation_report", "moderation_decision",
                                      "moderation_hiding"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  // Moment and comment; comment 0: the moment itself.
  using SubjectKey = std::pair<core::MomentId, core::CommentId>;
  using ReportKey = std::pair<SubjectKey, core::AccountId>;
  using DecisionKey = std::pair<SubjectKey, std::uint32_t>;
  struct CaseChange {
    std::optional<core::AccountId> author;
    std::uint32_t opening = 0;  // 0: not opened since the last flush
    std::optional<core::Timestamp> opened_at;
    std::uint32_t decided = 0;
    std::uint32_t counted = 0;  // the opening that `reporters` are of
    std::int64_t reporters = 0;
  };
  struct Decision {
    core::AccountId author;
    core::AccountId moderator;
    std::string decision;
    std::string sealed_reason;
    core::Timestamp decided_at;
  };

  void on(read::SubjectReported report);
  void on(const read::CaseOpened& opened);
  void on(const read::CaseDecided& decided);
  void on(const read::CaseRuled& ruled);

  // Since the last flush.
  std::map<SubjectKey, CaseChange> cases_;
  std::map<ReportKey, read::SubjectReported> reports_;
  std::map<DecisionKey, Decision> decisions_;
  std::map<SubjectKey, read::CaseRuled> hidings_;  // the latest
};

}  // namespace tideline::feed
