#include "projects/projections/project_queries.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "blocks/blocks.hpp"

namespace tideline::projects {

using sql::Params;
using sql::Row;
using sql::Rows;
using sql::Transaction;

namespace {

// Ids of comments have no gaps, so the highest one is their number, found at the end of an index;
// those that were removed have one of their own.
constexpr const char* kSelectProjects =
    "SELECT project.id, project.author, project.card, project.labels,"
    " (extract(epoch FROM project.published_at) * 1000000)::bigint,"
    " (extract(epoch FROM project.edited_at) * 1000000)::bigint,"
    " project.version,"
    " coalesce((SELECT max(comment.id) FROM comment WHERE comment.project_id = project.id), 0)"
    " - (SELECT count(*) FROM comment WHERE comment.project_id = project.id"
    " AND removed_at IS NOT NULL),"
    " coalesce(voting.state, 'not-opened'), coalesce(voting.tally, 0),"
    " coalesce(advice_count.standing, 0), coalesce(advice_count.adopted, 0), project.icon,"
    " (SELECT count(*) FROM document WHERE document.project_id = project.id), project.withdrawn"
    " FROM project LEFT JOIN voting ON voting.project_id = project.id"
    " LEFT JOIN advice_count ON advice_count.project_id = project.id";

ProjectRow to_project(const Row& row) {
  ProjectRow project;
  project.id = row.text(0);
  project.author = row.account(1);
  project.sealed_card = row.text(2);
  project.sealed_labels = row.text(3);
  project.published_at = row.timestamp_us(4);
  if (!row.is_null(5)) project.edited_at = row.timestamp_us(5);
  project.version = core::StreamVersion(static_cast<std::uint64_t>(row.integer(6)));
  project.comments = row.integer(7);
  project.voting = row.text(8);
  project.tally = row.integer(9);
  project.advice = row.integer(10);
  project.advice_adopted = row.integer(11);
  project.icon = row.nullable_text(12);
  project.documents = row.integer(13);
  project.withdrawn = row.boolean(14);
  return project;
}

}  // namespace

const char* const kReferencedUploadsSql =
    "SELECT author, icon FROM project WHERE icon IS NOT NULL"
    " UNION ALL SELECT author, hash FROM document";

std::optional<ProjectRow> find_project(Transaction& transaction, const std::string& id) {
  const auto rows =
      transaction.execute(std::string(kSelectProjects) + " WHERE project.id = $1", {id});
  if (rows.empty()) return std::nullopt;
  return to_project(rows[0]);
}

std::vector<ProjectRow> find_projects(Transaction& transaction, std::span<const std::string> ids) {
  if (ids.empty()) return {};
  const auto rows =
      transaction.execute(std::string(kSelectProjects) + " WHERE project.id = ANY($1::text[])",
                          {std::vector<std::string>(ids.begin(), ids.end())});
  std::map<std::string, ProjectRow> by_id;
  for (const Row& row : rows) by_id.emplace(row.text(0), to_project(row));
  std::vector<ProjectRow> projects;
  for (const std::string& id : ids) {
    if (const auto found = by_id.find(id); found != by_id.end()) projects.push_back(found->second);
  }
  return projects;
}

sql::Slice<ProjectRow> list_by_author(Transaction& transaction, const core::AccountId& author,
                                      const core::AccountId& viewer,
                                      const sql::Window<std::string>& window) {
  if (blocks::are_apart(transaction, author, viewer)) return {};
  const auto found = sql::select_newest_first<std::string>(
      transaction,
      {"SELECT project_id FROM project_by_author WHERE author = $1::uuid"
       " AND (NOT withdrawn OR $2::boolean)",
       "published_at", "project_id"},
      {author, author == viewer}, window, [](const Row& row) { return row.text(0); });
  return {find_projects(transaction, found.items), found.more_before, found.more_after};
}

namespace {

// Of a row's `author`; $N is the viewer.
std::string may_be_listed(std::string_view viewer) {
  return " AND NOT EXISTS (SELECT FROM person WHERE account_id = author AND closed) AND NOT " +
         blocks::are_apart_sql("author", viewer);
}

}  // namespace

sql::Slice<ProjectRow> list_newest(Transaction& transaction, const core::AccountId& viewer,
                                   const sql::Window<std::string>& window) {
  static const std::string select =
      "SELECT id FROM project WHERE NOT withdrawn AND NOT abandoned" + may_be_listed("$1::uuid");
  const auto found =
      sql::select_newest_first<std::string>(transaction, {select, "published_at", "id"}, {viewer},
                                            window, [](const Row& row) { return row.text(0); });
  return {find_projects(transaction, found.items), found.more_before, found.more_after};
}

// Each key has a range of the index in the list's order: a page of both is merged here, for
// PostgreSQL would sort all of them.
sql::Slice<ProjectRow> list_by_label(Transaction& transaction, const LabelKeys& keys,
                                     const core::AccountId& viewer,
                                     const sql::Window<std::string>& window) {
  using Place = sql::Place<std::string>;
  static const std::string select =
      "SELECT (extract(epoch FROM published_at) * 1000000)::bigint, project_id"
      " FROM project_by_label WHERE label_key = $1 AND listed" +
      may_be_listed("$2::uuid");
  std::vector<Place> found;
  bool more = false;
  const bool newer = window.before.has_value();
  for (const std::string& key : {keys.label, keys.index}) {
    const auto slice =
        sql::select_newest_first<Place>(transaction, {select, "published_at", "project_id"},
                                        {key, viewer}, window, [](const Row& row) {
                                          return Place{row.timestamp_us(0), row.text(1)};
                                        });
    found.insert(found.end(), slice.items.begin(), slice.items.end());
    more = more || (newer ? slice.more_before : slice.more_after);
  }
  std::sort(found.begin(), found.end(), [](const Place& one, const Place& other) {
    return std::tie(one.since, one.id) > std::tie(other.since, other.id);
  });
  const auto limit = static_cast<std::size_t>(window.limit);
  if (found.size() > limit) {
    more = true;
    const auto extra = static_cast<std::ptrdiff_t>(found.size() - limit);
    found.erase(newer ? found.begin() : found.end() - extra,
                newer ? found.begin() + extra : found.end());
  }
  if (found.empty()) return {};
  std::vector<std::string> ids;
  for (const Place& place : found) ids.push_back(place.id);
  return {find_projects(transaction, ids), newer ? more : window.after.has_value(), newer || more};
}

namespace {

// What lies under a project, in the order of its ids: from behind `after`, or the last ones ahead
// of `before`, without what people on the other side of a block have written. `select` ends with
// its condition on the project.
template <class Item, class Id, class ToItem>
sql::Slice<Item> select_by_id(Transaction& transaction, std::string select, std::string_view writer,
                              const std::string& project, const core::AccountId& viewer,
                              const std::optional<Id>& before, const std::optional<Id>& after,
                              int limit, const ToItem& to_item) {
  select += " AND NOT " + blocks::are_apart_sql(writer, "$4::uuid");
  select += before ? " AND id < $2 ORDER BY id DESC LIMIT $3" : " AND id > $2 ORDER BY id LIMIT $3";
  auto rows = transaction.execute(
      select, {project, before ? *before : after.value_or(Id()), limit + 1, viewer});
  if (before) std::reverse(rows.begin(), rows.end());
  std::vector<Item> items;
  for (const Row& row : rows) items.push_back(to_item(row));
  return sql::cut_slice(std::move(items), limit, before.has_value(), before || after);
}

CommentRow to_comment(const Row& row) {
  return {row.integer(0), row.integer(1),      row.account(2),
          row.text(3),    row.timestamp_us(4), row.boolean(5)};
}

AdviceRow to_advice(const Row& row) {
  AdviceRow advice{row.text(0), row.account(1), row.text(2), row.timestamp_us(3), std::nullopt};
  if (!row.is_null(4)) advice.adopted_at = row.timestamp_us(4);
  return advice;
}

}  // namespace

sql::Slice<CommentRow> list_comments(Transaction& transaction, const std::string& project,
                                     const core::AccountId& viewer,
                                     const std::optional<std::int64_t>& before,
                                     const std::optional<std::int64_t>& after, int limit) {
  return select_by_id<CommentRow>(
      transaction,
      "SELECT id, parent_id, author, body, (extract(epoch FROM written_at) * 1000000)::bigint,"
      " removed_at IS NOT NULL FROM comment WHERE project_id = $1",
      "author", project, viewer, before, after, limit, to_comment);
}

sql::Slice<AdviceRow> list_advice(Transaction& transaction, const std::string& project,
                                  const core::AccountId& viewer,
                                  const std::optional<std::string>& before,
                                  const std::optional<std::string>& after, int limit) {
  return select_by_id<AdviceRow>(
      transaction,
      "SELECT id, adviser, body, (extract(epoch FROM given_at) * 1000000)::bigint,"
      " (extract(epoch FROM adopted_at) * 1000000)::bigint FROM advice WHERE project_id = $1",
      "adviser", project, viewer, before, after, limit, to_advice);
}

namespace {

constexpr const char* kSelectDocuments =
    "SELECT id, author, title, media_type, size, hash,"
    " (extract(epoch FROM added_at) * 1000000)::bigint FROM document WHERE project_id = $1";

DocumentRow to_document(const Row& row) {
  return {row.text(0),
          row.account(1),
          row.text(2),
          {row.text(3), row.integer(4), row.text(5)},
          row.timestamp_us(6)};
}

}  // namespace

std::vector<DocumentRow> list_documents(Transaction& transaction, const std::string& project) {
  std::vector<DocumentRow> documents;
  for (const Row& row :
       transaction.execute(std::string(kSelectDocuments) + " ORDER BY id", {project})) {
    documents.push_back(to_document(row));
  }
  return documents;
}

std::optional<DocumentRow> find_document(Transaction& transaction, const std::string& project,
                                         const std::string& document) {
  const auto rows =
      transaction.execute(std::string(kSelectDocuments) + " AND id = $2", {project, document});
  if (rows.empty()) return std::nullopt;
  return to_document(rows[0]);
}

bool has_voted(Transaction& transaction, const std::string& project, const core::AccountId& voter) {
  const auto rows = transaction.execute(
      "SELECT standing FROM vote WHERE project_id = $1 AND voter = $2::uuid", {project, voter});
  return !rows.empty() && rows[0].boolean(0);
}

sql::Slice<BoardPlace> list_board(Transaction& transaction, const core::AccountId& viewer,
                                  const std::optional<BoardPlace>& before,
                                  const std::optional<BoardPlace>& after, int limit) {
  std::string sql =
      "SELECT tally, project_id FROM voting WHERE state = 'open' AND NOT withdrawn"
      " AND NOT EXISTS (SELECT FROM project WHERE project.id = voting.project_id AND " +
      blocks::are_apart_sql("project.author", "$1::uuid") + ")";
  Params params{viewer};
  if (const auto& bound = before ? before : after) {
    params = {viewer, bound->tally, bound->project};
    sql += before ? " AND (tally > $2 OR (tally = $2 AND project_id < $3))"
                  : " AND (tally < $2 OR (tally = $2 AND project_id > $3))";
  }
  sql += before ? " ORDER BY tally ASC, project_id DESC" : " ORDER BY tally DESC, project_id ASC";
  params.emplace_back(limit + 1);
  sql += " LIMIT $" + std::to_string(params.size());
  auto rows = transaction.execute(sql, params);
  if (before) std::reverse(rows.begin(), rows.end());
  std::vector<BoardPlace> places;
  for (const Row& row : rows) places.push_back({row.integer(0), row.text(1)});
  return sql::cut_slice(std::move(places), limit, before.has_value(), before || after);
}

}  // namespace tideline::projects
