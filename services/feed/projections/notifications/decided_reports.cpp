#include "feed/projections/notifications/decided_reports.hpp"

#include <variant>

#include "feed/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

// Also where it changes nothing: from here on nobody else writes about this case until the end of
// the transaction, and the statements that follow see what they have written.
constexpr const char* kLockCases = R"(
INSERT INTO notification_case AS held (moment, comment, opening, decided_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::timestamptz[])
ON CONFLICT (moment, comment, opening) DO UPDATE
SET decided_at = coalesce(held.decided_at, excluded.decided_at))";

constexpr const char* kInsertReporters = R"(
INSERT INTO notification_report (moment, comment, opening, reporter)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::uuid[])
ON CONFLICT DO NOTHING)";

constexpr const char* kTellReporters = R"(
INSERT INTO notification (owner, kind, moment, actor, comment, at, direct)
SELECT report.reporter, $4::smallint, decided.moment, $5::uuid, decided.comment, decided.decided_at, true
FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) AS changed (moment, comment, opening)
JOIN notification_case AS decided USING (moment, comment, opening)
JOIN notification_report AS report USING (moment, comment, opening)
WHERE decided.decided_at IS NOT NULL
ON CONFLICT DO NOTHING
RETURNING owner)";

template <class Fact>
core::CommentId comment_of(const Fact& fact) {
  return fact.comment.value_or(core::CommentId());
}

}  // namespace

void DecidedReports::clear() {
  cases_.clear();
  reports_.clear();
}

void DecidedReports::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::SubjectReported, read::CaseDecided, read::CaseRuled>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* report = std::get_if<read::SubjectReported>(&*known)) {
    const CaseKey key{report->moment, comment_of(*report), report->opening};
    cases_.try_emplace(key);
    reports_.emplace(key, report->reporter);
  } else if (const auto* decided = std::get_if<read::CaseDecided>(&*known)) {
    cases_[{decided->moment, comment_of(*decided), decided->opening}] = decided->decided_at;
  } else if (const auto* ruled = std::get_if<read::CaseRuled>(&*known)) {
    if (ruled->ruling != CaseRuling::Hidden) return;
    cases_[{ruled->moment, comment_of(*ruled), ruled->opening}] = ruled->ruled_at;
  }
}

std::vector<core::AccountId> DecidedReports::flush(sql::Transaction& transaction) const {
  std::vector<core::AccountId> told;
  if (cases_.empty()) return told;
  sql::write_batch(transaction, kLockCases, cases_, &CaseKey::moment, &CaseKey::comment,
                   &CaseKey::opening, sql::kValue);
  sql::write_batch(transaction, kInsertReporters, reports_, &CaseKey::moment, &CaseKey::comment,
                   &CaseKey::opening, sql::kValue);
  std::vector<core::MomentId> moments;
  std::vector<core::CommentId> comments;
  std::vector<std::int64_t> openings;
  for (const auto& [key, decided_at] : cases_) {
    moments.push_back(key.moment);
    comments.push_back(key.comment);
    openings.push_back(key.opening);
  }
  for (const sql::Row& row :
       transaction.execute(kTellReporters, {moments, comments, openings,
                                            static_cast<int>(NotificationKind::ReportDecided),
                                            core::AccountId()})) {
    told.push_back(row.account(0));
  }
  return told;
}

}  // namespace tideline::feed
