#include "feed/projections/moderation_queries.hpp"

#include <charconv>

#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kDecisionColumns = R"(
SELECT moment, comment, author, moderator, decision, reason,
       (extract(epoch FROM decided_at) * 1000000)::bigint,
       moment || '_' || comment || '_' || opening
FROM moderation_decision)";

constexpr const char* kHidingColumns = R"(
SELECT moment, comment, author, reason, (extract(epoch FROM ruled_at) * 1000000)::bigint,
       moment || '_' || comment
FROM moderation_hiding)";

Subject subject_of_row(const sql::Row& row) {
  const core::CommentId comment(static_cast<std::uint64_t>(row.integer(1)));
  return {core::MomentId(static_cast<std::uint64_t>(row.integer(0))),
          comment == core::CommentId() ? std::nullopt : std::optional(comment)};
}

// With the categories of each, in one statement.
void count_categories(sql::Transaction& transaction, std::vector<OpenCaseRow>& cases) {
  std::vector<core::MomentId> moments;
  std::vector<core::CommentId> comments;
  std::vector<std::uint32_t> openings;
  for (const OpenCaseRow& one : cases) {
    moments.push_back(one.place.subject.moment);
    comments.push_back(one.place.subject.comment_key());
    openings.push_back(one.opening);
  }
  for (const sql::Row& row :
       transaction.execute("SELECT wanted.place, report.category, count(*)"
                           " FROM unnest($1::bigint[], $2::bigint[], $3::integer[])"
                           " WITH ORDINALITY AS wanted (moment, comment, opening, place)"
                           " JOIN moderation_report AS report USING (moment, comment, opening)"
                           " GROUP BY wanted.place, report.category",
                           {moments, comments, openings})) {
    cases.at(static_cast<std::size_t>(row.integer(0)) - 1).categories[row.text(1)] = row.integer(2);
  }
}

HidingRow hiding_of_row(const sql::Row& row) {
  return {subject_of_row(row), row.account(2), row.text(3), row.timestamp_us(4), row.text(5)};
}

}  // namespace

std::string case_id(const Subject& subject) {
  const std::string moment = core::to_string(subject.moment);
  return subject.comment ? moment + "_" + core::to_string(*subject.comment) : moment;
}

std::optional<Subject> parse_case_id(std::string_view text) {
  const auto mark = text.find('_');
  const auto moment = core::parse_moment_id(text.substr(0, mark));
  if (!moment) return std::nullopt;
  if (mark == std::string_view::npos) return Subject{*moment, std::nullopt};
  const auto comment = core::parse_comment_id(text.substr(mark + 1));
  if (!comment || *comment == core::CommentId()) return std::nullopt;
  return Subject{*moment, comment};
}

std::string queue_place_text(const QueuePlace& place) {
  return std::to_string(place.reporters) + "/" + core::format_iso8601(place.opened_at) + "/" +
         case_id(place.subject);
}

std::optional<QueuePlace> parse_queue_place(std::string_view text) {
  const auto first = text.find('/');
  const auto second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  QueuePlace place;
  const auto number = text.substr(0, first);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), place.reporters);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size()) return std::nullopt;
  const auto opened_at = core::parse_iso8601(text.substr(first + 1, second - first - 1));
  const auto subject = parse_case_id(text.substr(second + 1));
  if (!opened_at || !subject) return std::nullopt;
  place.opened_at = *opened_at;
  place.subject = *subject;
  return place;
}

std::vector<OpenCaseRow> list_open_cases(sql::Transaction& transaction,
                                         const core::AccountId& moderator,
                                         const std::optional<QueuePlace>& after, int limit) {
  std::string sql =
      "SELECT moment, comment, author, opening, reporters,"
      " (extract(epoch FROM opened_at) * 1000000)::bigint FROM moderation_case"
      " WHERE opening > decided AND counted = opening AND author <> $1::uuid";
  sql::Params params{moderator};
  if (after) {
    sql +=
        " AND reporters <= $2::bigint AND (reporters < $2::bigint"
        " OR (opened_at, moment, comment) > ($3::timestamptz, $4::bigint, $5::bigint))";
    params.insert(params.end(), {after->reporters, after->opened_at, after->subject.moment,
                                 after->subject.comment_key()});
  }
  params.emplace_back(limit);
  sql += " ORDER BY reporters DESC, opened_at, moment, comment LIMIT $" +
         std::to_string(params.size()) + "::bigint";
  std::vector<OpenCaseRow> cases;
  for (const sql::Row& row : transaction.execute(sql, params)) {
    OpenCaseRow& one = cases.emplace_back();
    one.place = {row.integer(4), row.timestamp_us(5), subject_of_row(row)};
    one.author = row.account(2);
    one.opening = static_cast<std::uint32_t>(row.integer(3));
  }
  if (!cases.empty()) count_categories(transaction, cases);
  return cases;
}

std::optional<SealedSubject> find_subject_text(sql::Transaction& transaction,
                                               const Subject& subject) {
  const auto partition = core::author_partition(subject.moment);
  if (subject.comment) {
    const auto rows = transaction.execute(
        "SELECT text FROM moment_comment WHERE author_partition = $1::smallint"
        " AND moment = $2::bigint AND id = $3::bigint AND text IS NOT NULL",
        {partition, subject.moment, *subject.comment});
    if (rows.empty()) return std::nullopt;
    return SealedSubject{rows.front().text(0), eventsourcing::Stored<CommentAdded>::kTextContext};
  }
  const auto rows = transaction.execute(
      "SELECT moment.content, (SELECT edit.content FROM moment_edit AS edit"
      "  WHERE edit.author_partition = $1::smallint AND edit.moment = $2::bigint"
      "  ORDER BY edit.edit DESC LIMIT 1)"
      " FROM moment WHERE author_partition = $1::smallint AND id = $2::bigint AND NOT deleted",
      {partition, subject.moment});
  if (rows.empty()) return std::nullopt;
  if (const auto edited = rows.front().nullable_text(1)) {
    return SealedSubject{*edited, eventsourcing::Stored<MomentEdited>::kContentContext};
  }
  return SealedSubject{rows.front().text(0),
                       eventsourcing::Stored<MomentPublished>::kContentContext};
}

sql::Slice<ReportRow> list_reports(sql::Transaction& transaction, const core::AccountId& moderator,
                                   const Subject& subject,
                                   const sql::Window<core::AccountId>& window) {
  return sql::select_newest_first<ReportRow>(
      transaction,
      {"SELECT reporter, (extract(epoch FROM reported_at) * 1000000)::bigint, opening, category,"
       " text FROM moderation_report WHERE moment = $1::bigint AND comment = $2::bigint"
       " AND EXISTS (SELECT FROM moderation_case AS held WHERE held.moment = $1::bigint"
       " AND held.comment = $2::bigint AND held.author <> $3::uuid)",
       "reported_at", "reporter"},
      {subject.moment, subject.comment_key(), moderator}, window, [](const sql::Row& row) {
        return ReportRow{row.account(0), row.timestamp_us(1),
                         static_cast<std::uint32_t>(row.integer(2)), row.text(3), row.text(4)};
      });
}

sql::Slice<DecisionRow> list_decisions(sql::Transaction& transaction,
                                       const std::optional<core::AccountId>& author,
                                       const sql::Window<std::string>& window) {
  std::string select = kDecisionColumns;
  sql::Params params;
  if (author) params.emplace_back(*author);
  select += author ? " WHERE author = $1::uuid AND decision <> 'dismissed'" : " WHERE true";
  constexpr std::string_view kId = "(moment || '_' || comment || '_' || opening) COLLATE \"C\"";
  return sql::select_newest_first<DecisionRow>(
      transaction, {select, "decided_at", kId}, params, window, [](const sql::Row& row) {
        return DecisionRow{subject_of_row(row), row.account(2),      row.account(3), row.text(4),
                           row.text(5),         row.timestamp_us(6), row.text(7)};
      });
}

sql::Slice<HidingRow> list_hidings(sql::Transaction& transaction, const core::AccountId& moderator,
                                   const sql::Window<std::string>& window) {
  return sql::select_newest_first<HidingRow>(
      transaction,
      {std::string(kHidingColumns) + " WHERE hidden AND author <> $1::uuid", "ruled_at",
       R"((moment || '_' || comment) COLLATE "C")"},
      {moderator}, window, hiding_of_row);
}

std::map<std::string, HidingRow> find_hidings(sql::Transaction& transaction,
                                              const std::vector<Subject>& subjects) {
  std::vector<core::MomentId> moments;
  std::vector<core::CommentId> comments;
  for (const Subject& subject : subjects) {
    moments.push_back(subject.moment);
    comments.push_back(subject.comment_key());
  }
  std::map<std::string, HidingRow> found;
  for (const sql::Row& row : transaction.execute(
           std::string(kHidingColumns) + " WHERE hidden AND (moment, comment) IN"
                                         " (SELECT * FROM unnest($1::bigint[], $2::bigint[]))",
           {moments, comments})) {
    HidingRow hiding = hiding_of_row(row);
    found.emplace(case_id(hiding.subject), std::move(hiding));
  }
  return found;
}

}  // namespace tideline::feed
