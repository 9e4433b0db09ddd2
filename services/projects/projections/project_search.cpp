#include "projects/projections/project_search.hpp"

#include <utility>
#include <variant>

#include "blocks/blocks.hpp"
#include "core/result.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {
namespace {

using StoredCard = eventsourcing::Stored<ProjectCreated>;

// Part of the data format.
constexpr std::string_view kTermContext = "Project.term";
constexpr std::string_view kNameTermContext = "Project.nameTerm";

}  // namespace

search::Words words_of(const Card& card, const Labels& labels) {
  std::string text = card.name + "\n" + card.introduction + "\n" + card.looking_for.value_or("");
  for (const std::string& label : labels.names) text += "\n" + label;
  return search::words_of(text, search::Match::Words);
}

search::Words name_words_of(const Card& card) {
  return search::words_of(card.name, search::Match::Prefixes);
}

search::TermKeys project_terms(const eventsourcing::TextSealer& sealer) {
  return {sealer, std::string(kTermContext)};
}

search::TermKeys project_name_terms(const eventsourcing::TextSealer& sealer) {
  return {sealer, std::string(kNameTermContext)};
}

void ProjectSearchProjection::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::ProjectCreated, read::ProjectEdited, ProjectAbandoned>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const ProjectAbandoned& abandoned) {
                   latest_[abandoned.project_id] = {{}, std::nullopt, "", event.version};
                 },
                 [&](const auto& fact) {
                   latest_[fact.project_id] = {fact.author, fact.sealed_card, fact.sealed_labels,
                                               event.version};
                 },
             },
             *known);
}

// Of whom the key is gone nothing is kept: the end of their projects is still to come.
std::map<std::string, ProjectSearchProjection::Entry> ProjectSearchProjection::entries() const {
  std::vector<eventsourcing::SealedText> sealed;
  std::vector<Entry*> opening;
  std::map<std::string, Entry> entries;
  for (const auto& [id, latest] : latest_) {
    Entry& entry = entries[id] = {"{}", latest.version};
    if (!latest.sealed_card) continue;
    sealed.push_back({latest.author, *latest.sealed_card, StoredCard::kCardContext});
    sealed.push_back({latest.author, latest.sealed_labels, StoredCard::kLabelsContext});
    opening.push_back(&entry);
  }
  const auto opened = core::value_of(sealer_.open_many(sealed));
  const search::TermKeys keys = project_terms(sealer_);
  const search::TermKeys name_keys = project_name_terms(sealer_);
  for (std::size_t i = 0; i < opening.size(); ++i) {
    const auto card = opened[2 * i] ? card_from_json(*opened[2 * i]) : std::nullopt;
    const auto labels = opened[2 * i + 1] ? labels_from_json(*opened[2 * i + 1]) : std::nullopt;
    if (!card) continue;
    const auto words = words_of(*card, labels.value_or(Labels{}));
    auto terms = keys.of(search::terms_of(words, search::Match::Words));
    const auto of_name =
        name_keys.of(search::terms_of(name_words_of(*card), search::Match::Prefixes));
    terms.insert(terms.end(), of_name.begin(), of_name.end());
    opening[i]->terms = sql::kArrayText(terms);
  }
  return entries;
}

void ProjectSearchProjection::flush(sql::Transaction& transaction) {
  if (latest_.empty()) return;
  sql::write_batch(
      transaction,
      "INSERT INTO project_search AS held (project_id, terms, version)"
      " SELECT project_id, terms::bigint[], version"
      " FROM unnest($1::text[], $2::text[], $3::bigint[]) AS project (project_id, terms, version)"
      " ON CONFLICT (project_id) DO UPDATE"
      " SET terms = excluded.terms, version = excluded.version"
      " WHERE excluded.version > held.version",
      entries(), sql::kKey, &Entry::terms, &Entry::version);
}

// Materialized: in the order of the index of words, not of times, by which all projects might have
// to be looked at.
sql::Slice<ProjectRow> list_by_terms(sql::Transaction& transaction,
                                     const std::vector<std::int64_t>& terms,
                                     const ProjectFilter& filter, const core::AccountId& viewer,
                                     const sql::Window<std::string>& window) {
  std::string select =
      "WITH found AS MATERIALIZED"
      " (SELECT project_id FROM project_search WHERE terms @> $1::bigint[])"
      " SELECT project.id FROM found JOIN project ON project.id = found.project_id"
      " WHERE NOT project.abandoned AND NOT EXISTS"
      " (SELECT FROM person WHERE account_id = project.author AND closed) AND NOT " +
      blocks::are_apart_sql("project.author", "$2::uuid");
  sql::Params params{terms, viewer};
  const auto parameter = [&](const std::string& cast) {
    return "$" + std::to_string(params.size()) + cast;
  };
  if (filter.author) {
    params.emplace_back(*filter.author);
    select += " AND project.author = " + parameter("::uuid");
  }
  // One's own that is withdrawn is in one's own list alone.
  if (filter.author != viewer || filter.label) select += " AND NOT project.withdrawn";
  if (filter.label) {
    params.emplace_back(std::vector<std::string>{filter.label->label, filter.label->index});
    select +=
        " AND EXISTS (SELECT FROM project_by_label AS place"
        " WHERE place.project_id = project.id AND place.label_key = ANY (" +
        parameter("::text[]") + "))";
  }
  const auto found = sql::select_newest_first<std::string>(
      transaction, {select, "project.published_at", "project.id"}, std::move(params), window,
      [](const sql::Row& row) { return row.text(0); });
  return {find_projects(transaction, found.items), found.more_before, found.more_after};
}

}  // namespace tideline::projects
