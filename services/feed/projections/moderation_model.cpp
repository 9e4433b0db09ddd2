#include "feed/projections/moderation_model.hpp"

#include <variant>

#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

// A report that comes ahead of its opening is counted for it all the same.
constexpr const char* kUpsertCases = R"(
INSERT INTO moderation_case AS held
  (moment, comment, author, opening, opened_at, decided, counted, reporters)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::integer[], $5::timestamptz[],
                     $6::integer[], $7::integer[], $8::bigint[])
ON CONFLICT (moment, comment) DO UPDATE SET
  author = coalesce(held.author, excluded.author),
  opened_at = CASE WHEN excluded.opening > held.opening THEN excluded.opened_at
                   ELSE held.opened_at END,
  opening = greatest(held.opening, excluded.opening),
  decided = greatest(held.decided, excluded.decided),
  reporters = CASE WHEN excluded.counted > held.counted THEN excluded.reporters
                   WHEN excluded.counted = held.counted THEN held.reporters + excluded.reporters
                   ELSE held.reporters END,
  counted = greatest(held.counted, excluded.counted))";

constexpr const char* kInsertReports = R"(
INSERT INTO moderation_report (moment, comment, reporter, opening, category, text, reported_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::integer[], $5::text[],
                     $6::text[], $7::timestamptz[])
ON CONFLICT (moment, comment, reporter) DO NOTHING)";

constexpr const char* kInsertDecisions = R"(
INSERT INTO moderation_decision
  (moment, comment, opening, author, moderator, decision, reason, decided_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::uuid[], $5::uuid[],
                     $6::text[], $7::text[], $8::timestamptz[])
ON CONFLICT (moment, comment, opening) DO NOTHING)";

constexpr const char* kUpsertHidings = R"(
INSERT INTO moderation_hiding (moment, comment, opening, hidden, author, reason, ruled_at)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::boolean[], $5::uuid[],
                     $6::text[], $7::timestamptz[])
ON CONFLICT (moment, comment) DO UPDATE SET
  opening = excluded.opening, hidden = excluded.hidden, author = excluded.author,
  reason = excluded.reason, ruled_at = excluded.ruled_at)";

template <class Fact>
std::pair<core::MomentId, core::CommentId> subject_of(const Fact& fact) {
  return {fact.moment, fact.comment.value_or(core::CommentId())};
}

}  // namespace

void ModerationModel::clear() {
  cases_.clear();
  reports_.clear();
  decisions_.clear();
  hidings_.clear();
}

void ModerationModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known =
      std::variant<read::SubjectReported, read::CaseOpened, read::CaseDecided, read::CaseRuled>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  std::visit([this](auto& fact) { on(std::move(fact)); }, *known);
}

void ModerationModel::on(read::SubjectReported report) {
  CaseChange& change = cases_[subject_of(report)];
  if (report.opening > change.counted) {
    change.counted = report.opening;
    change.reporters = 0;
  }
  if (report.opening == change.counted) ++change.reporters;
  const ReportKey key{subject_of(report), report.reporter};
  reports_[key] = std::move(report);
}

void ModerationModel::on(const read::CaseOpened& opened) {
  CaseChange& change = cases_[subject_of(opened)];
  change.author = opened.author;
  change.opening = opened.opening;
  change.opened_at = opened.opened_at;
}

void ModerationModel::on(const read::CaseDecided& decided) {
  cases_[subject_of(decided)].decided = decided.opening;
  decisions_[{subject_of(decided), decided.opening}] = {decided.author, decided.moderator,
                                                        std::string(to_string(decided.decision)),
                                                        decided.sealed_reason, decided.decided_at};
}

void ModerationModel::on(const read::CaseRuled& ruled) {
  cases_[subject_of(ruled)].decided = ruled.opening;
  decisions_[{subject_of(ruled), ruled.opening}] = {ruled.author, ruled.moderator,
                                                    std::string(to_string(ruled.ruling)),
                                                    ruled.sealed_reason, ruled.ruled_at};
  hidings_[subject_of(ruled)] = ruled;
}

void ModerationModel::flush(sql::Transaction& transaction) const {
  sql::write_batch(transaction, kUpsertCases, cases_, &SubjectKey::first, &SubjectKey::second,
                   &CaseChange::author, &CaseChange::opening, &CaseChange::opened_at,
                   &CaseChange::decided, &CaseChange::counted, &CaseChange::reporters);
  sql::write_batch(
      transaction, kInsertReports, reports_, sql::at(&ReportKey::first, &SubjectKey::first),
      sql::at(&ReportKey::first, &SubjectKey::second), &ReportKey::second,
      &read::SubjectReported::opening,
      [](const read::SubjectReported& report) { return to_string(report.category); },
      &read::SubjectReported::sealed_text, &read::SubjectReported::reported_at);
  sql::write_batch(
      transaction, kInsertDecisions, decisions_, sql::at(&DecisionKey::first, &SubjectKey::first),
      sql::at(&DecisionKey::first, &SubjectKey::second), &DecisionKey::second, &Decision::author,
      &Decision::moderator, &Decision::decision, &Decision::sealed_reason, &Decision::decided_at);
  sql::write_batch(
      transaction, kUpsertHidings, hidings_, &SubjectKey::first, &SubjectKey::second,
      &read::CaseRuled::opening,
      [](const read::CaseRuled& ruled) { return ruled.ruling == CaseRuling::Hidden; },
      &read::CaseRuled::author, &read::CaseRuled::sealed_reason, &read::CaseRuled::ruled_at);
}

}  // namespace tideline::feed
