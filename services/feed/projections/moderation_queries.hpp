// Reads the tables of ModerationModel, and the texts that are reported: for moderators, who see
// what is reported whether or not it is for them. Functions block on the database and throw
// TransactionFailed, as the Transaction does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/domain/report.hpp"
#include "sql/keyset.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// "<moment>", or "<moment>_<comment>": how answers name a case.
std::string case_id(const Subject& subject);
std::optional<Subject> parse_case_id(std::string_view text);

// Where a page of the queue ends.
struct QueuePlace {
  std::int64_t reporters = 0;
  core::Timestamp opened_at;
  Subject subject;
};
std::string queue_place_text(const QueuePlace& place);
std::optional<QueuePlace> parse_queue_place(std::string_view text);

struct OpenCaseRow {
  QueuePlace place;
  core::AccountId author;
  std::uint32_t opening = 0;
  std::map<std::string, std::int64_t> categories;  // reports of this opening by category
};

// Open cases behind `after`, up to `limit`: most reporters first, of these the longest open.
// Without those about what `moderator` has written, who is not to learn of them.
std::vector<OpenCaseRow> list_open_cases(sql::Transaction& transaction,
                                         const core::AccountId& moderator,
                                         const std::optional<QueuePlace>& after, int limit);

// A text as it stands, and whose name its seal has. nullopt: deleted.
struct SealedSubject {
  std::string sealed;
  std::string_view context;
};
std::optional<SealedSubject> find_subject_text(sql::Transaction& transaction,
                                               const Subject& subject);

struct ReportRow {
  core::AccountId reporter;
  core::Timestamp reported_at;
  std::uint32_t opening = 0;
  std::string category;
  std::string sealed_text;
};
// All reports of a subject, of earlier openings too, newest first; none of what `moderator` has
// written.
sql::Slice<ReportRow> list_reports(sql::Transaction& transaction, const core::AccountId& moderator,
                                   const Subject& subject,
                                   const sql::Window<core::AccountId>& window);

struct DecisionRow {
  Subject subject;
  core::AccountId author;
  core::AccountId moderator;
  std::string decision;
  std::string sealed_reason;
  core::Timestamp decided_at;
  std::string id;  // of the decision: case and opening

  sql::Place<std::string> place() const { return {decided_at, id}; }
};
// Newest first. With an author: those that the author is told of, which are no dismissals.
sql::Slice<DecisionRow> list_decisions(sql::Transaction& transaction,
                                       const std::optional<core::AccountId>& author,
                                       const sql::Window<std::string>& window);

struct HidingRow {
  Subject subject;
  core::AccountId author;
  std::string sealed_reason;
  core::Timestamp hidden_at;
  std::string id;  // of the case, zero for what is no comment

  sql::Place<std::string> place() const { return {hidden_at, id}; }
};
// What is hidden now, newest first; without what `moderator` has written.
sql::Slice<HidingRow> list_hidings(sql::Transaction& transaction, const core::AccountId& moderator,
                                   const sql::Window<std::string>& window);
// Those of the subjects that are hidden, by case id.
std::map<std::string, HidingRow> find_hidings(sql::Transaction& transaction,
                                              const std::vector<Subject>& subjects);

}  // namespace tideline::feed
