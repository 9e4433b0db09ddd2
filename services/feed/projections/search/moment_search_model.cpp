#include "feed/projections/search/moment_search_model.hpp"

#include <ranges>
#include <utility>

#include "feed/projections/search/search_scopes.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kInsertMomentWords = R"(
INSERT INTO moment_search (id, author, scope, edit, words, topics)
SELECT id, author, scope, edit, words::bigint[], topics::bigint[]
FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::text[])
  AS new (id, author, scope, edit, words, topics)
WHERE NOT EXISTS (SELECT FROM search_closed AS closed WHERE closed.author = new.author)
ON CONFLICT (id) DO NOTHING)";

constexpr const char* kUpdateMomentWords = R"(
UPDATE moment_search AS moment
SET edit = changed.edit, words = changed.words::bigint[], topics = changed.topics::bigint[]
FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[])
  AS changed (id, edit, words, topics)
WHERE moment.id = changed.id AND moment.edit < changed.edit)";

constexpr const char* kMoveMomentWords = R"(
UPDATE moment_search AS moment SET scope = changed.scope
FROM unnest($1::bigint[], $2::bigint[]) AS changed (id, scope)
WHERE moment.id = changed.id)";

constexpr const char* kHideMoments = R"(
UPDATE moment_search AS moment SET hidden = changed.hidden
FROM unnest($1::bigint[], $2::boolean[]) AS changed (id, hidden)
WHERE moment.id = changed.id)";

constexpr const char* kDeleteMomentWords =
    "DELETE FROM moment_search WHERE id = ANY ($1::bigint[])";
constexpr const char* kDeleteOfAuthors =
    "DELETE FROM moment_search WHERE author = ANY ($1::uuid[])";

}  // namespace

void MomentSearchModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::MomentPublished, read::MomentEdited, read::MomentAudienceChanged,
                             read::MomentHidden, read::MomentRestored, read::MomentDeleted>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (auto* published = std::get_if<read::MomentPublished>(&*known)) {
    Change& change = changes_[published->id];
    change.author = published->author;
    change.published = true;
    change.scope = scope_of_moment(published->id, published->author, published->audience);
    change.sealed = std::move(published->sealed_content);
  } else if (auto* edited = std::get_if<read::MomentEdited>(&*known)) {
    Change& change = changes_[edited->id];
    change.author = edited->author;
    change.edit = edited->edit;
    change.sealed = std::move(edited->sealed_content);
  } else if (const auto* moved = std::get_if<read::MomentAudienceChanged>(&*known)) {
    Change& change = changes_[moved->id];
    change.author = moved->author;
    change.scope = scope_of_moment(moved->id, moved->author, moved->audience);
  } else if (const auto* hidden = std::get_if<read::MomentHidden>(&*known)) {
    changes_[hidden->id].hidden = true;
  } else if (const auto* restored = std::get_if<read::MomentRestored>(&*known)) {
    changes_[restored->id].hidden = false;
  } else if (const auto* deleted = std::get_if<read::MomentDeleted>(&*known)) {
    changes_[deleted->id].deleted = true;
  }
}

std::vector<MomentSearchModel::Row> MomentSearchModel::open_texts(
    const WordOpener& opener, const std::set<core::AccountId>& closed) const {
  std::vector<Row> rows;
  std::vector<eventsourcing::SealedText> texts;
  for (const auto& [id, change] : changes_) {
    if (change.deleted || change.sealed.empty() || closed.contains(change.author)) continue;
    rows.push_back({id, &change, {}});
    texts.push_back({change.author, change.sealed,
                     change.edit == 0 ? eventsourcing::Stored<MomentPublished>::kContentContext
                                      : eventsourcing::Stored<MomentEdited>::kContentContext});
  }
  auto terms = opener.terms_of(texts);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].terms = std::move(terms[i]);
  return rows;
}

void MomentSearchModel::flush(sql::Transaction& transaction, const WordOpener& opener,
                              const std::set<core::AccountId>& closed) const {
  const std::vector<Row> rows = open_texts(opener, closed);
  const auto is_new = [](const Row& row) { return row.change->published; };
  const auto is_known = [](const Row& row) { return !row.change->published; };
  const auto edit = [](const Row& row) { return row.change->edit; };
  const auto words = [](const Row& row) { return row.terms.words; };
  const auto topics = [](const Row& row) { return row.terms.topics; };
  sql::write_batch(
      transaction, kInsertMomentWords, rows | std::views::filter(is_new), &Row::id,
      [](const Row& row) { return row.change->author; },
      [](const Row& row) { return row.change->scope.value(); }, edit, words, topics);
  sql::write_batch(transaction, kUpdateMomentWords, rows | std::views::filter(is_known), &Row::id,
                   edit, words, topics);
  const auto is_moved = [](const auto& entry) {
    return !entry.second.published && entry.second.scope.has_value();
  };
  sql::write_batch(transaction, kMoveMomentWords, changes_ | std::views::filter(is_moved),
                   sql::kKey, [](const Change& change) { return change.scope.value(); });
  const auto is_hidden_or_restored = [](const auto& entry) {
    return entry.second.hidden.has_value();
  };
  sql::write_batch(transaction, kHideMoments, changes_ | std::views::filter(is_hidden_or_restored),
                   sql::kKey, [](const Change& change) { return change.hidden.value(); });
  std::vector<core::MomentId> deleted;
  for (const auto& [id, change] : changes_) {
    if (change.deleted) deleted.push_back(id);
  }
  if (!deleted.empty()) transaction.execute(kDeleteMomentWords, {deleted});
  if (!closed.empty()) {
    transaction.execute(kDeleteOfAuthors,
                        {std::vector<core::AccountId>(closed.begin(), closed.end())});
  }
}

}  // namespace tideline::feed
