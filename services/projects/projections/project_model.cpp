#include "projects/projections/project_model.hpp"

#include <ranges>
#include <set>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void ProjectModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::ProjectCreated, read::ProjectEdited, ProjectIconChanged,
                             ProjectWithdrawn, ProjectRestored, ProjectAbandoned>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  const auto& project_id = std::visit([](const auto& fact) { return fact.project_id; }, *known);
  Changed& changed = changed_[project_id];
  changed.version = event.version;
  const auto put_card = [&](const auto& fact) {
    changed.author = fact.author;
    changed.sealed_card = fact.sealed_card;
    changed.sealed_labels = fact.sealed_labels;
    changed.label_keys = fact.label_keys;
  };
  std::visit(eventsourcing::Overloaded{
                 [&](const read::ProjectCreated& created) {
                   put_card(created);
                   changed.published_at = created.published_at;
                 },
                 [&](const read::ProjectEdited& edited) {
                   put_card(edited);
                   changed.edited_at = event.time;
                 },
                 [&](const ProjectIconChanged& icon) {
                   changed.icon = icon.icon;
                   changed.edited_at = event.time;
                 },
                 [&](const ProjectWithdrawn&) { changed.withdrawn = true; },
                 [&](const ProjectRestored&) { changed.withdrawn = false; },
                 [&](const ProjectAbandoned&) { changed.abandoned = true; },
             },
             *known);
}

void ProjectModel::flush(sql::Transaction& transaction) const {
  if (changed_.empty()) return;
  flush_created(transaction);
  flush_edited(transaction);
  flush_standing(transaction);
  flush_labels(transaction);
}

void ProjectModel::flush_created(sql::Transaction& transaction) const {
  auto created = changed_ | std::views::filter([](const auto& entry) {
                   return entry.second.published_at.has_value();
                 });
  sql::write_batch(
      transaction,
      "INSERT INTO project (id, author, card, labels, published_at, edited_at, version)"
      " SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[],"
      " $6::timestamptz[], $7::bigint[]) ON CONFLICT (id) DO NOTHING",
      created, sql::kKey, &Changed::author, &Changed::sealed_card, &Changed::sealed_labels,
      &Changed::published_at, &Changed::edited_at, &Changed::version);
  sql::write_batch(transaction,
                   "INSERT INTO project_by_author (author, published_at, project_id)"
                   " SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[])"
                   " ON CONFLICT DO NOTHING",
                   created, &Changed::author, &Changed::published_at, sql::kKey);
}

// One statement a project: edits are rare, and each touches one row of one partition.
void ProjectModel::flush_edited(sql::Transaction& transaction) const {
  for (const auto& [id, changed] : changed_) {
    transaction.execute(
        "UPDATE project SET card = coalesce($2, card),"
        " labels = CASE WHEN $2 IS NULL THEN labels ELSE $3 END,"
        " edited_at = coalesce($4::timestamptz, edited_at), version = $5,"
        " icon = CASE WHEN $6::boolean THEN $7 ELSE icon END"
        " WHERE id = $1",
        {id, changed.sealed_card, changed.sealed_labels, changed.edited_at, changed.version,
         changed.icon.has_value(), changed.icon.value_or(std::nullopt)});
  }
}

// What other tables have of it: their rows may come later or be there.
void ProjectModel::flush_standing(sql::Transaction& transaction) const {
  std::map<std::string, bool> withdrawn;
  std::vector<std::string> abandoned;
  for (const auto& [id, changed] : changed_) {
    if (changed.withdrawn) withdrawn.emplace(id, *changed.withdrawn);
    if (changed.abandoned) abandoned.push_back(id);
  }
  sql::write_batch(transaction,
                   "UPDATE project SET withdrawn = new.withdrawn"
                   " FROM unnest($1::text[], $2::boolean[]) AS new (id, withdrawn)"
                   " WHERE project.id = new.id",
                   withdrawn, sql::kKey, sql::kValue);
  sql::write_batch(
      transaction,
      "UPDATE project_by_author AS place SET withdrawn = project.withdrawn"
      " FROM unnest($1::text[]) AS new (id) JOIN project ON project.id = new.id"
      " WHERE place.author = project.author AND place.published_at = project.published_at"
      " AND place.project_id = project.id",
      withdrawn, sql::kKey);
  sql::write_batch(transaction,
                   "INSERT INTO voting (project_id, withdrawn)"
                   " SELECT * FROM unnest($1::text[], $2::boolean[])"
                   " ON CONFLICT (project_id) DO UPDATE SET withdrawn = excluded.withdrawn",
                   withdrawn, sql::kKey, sql::kValue);
  if (abandoned.empty()) return;
  transaction.execute("UPDATE project SET abandoned = true WHERE id = ANY($1::text[])",
                      {abandoned});
}

void ProjectModel::flush_labels(sql::Transaction& transaction) const {
  std::vector<std::string> ids;
  for (const auto& [id, changed] : changed_) {
    if (changed.changes_labels()) ids.push_back(id);
  }
  if (ids.empty()) return;
  LabelUses deltas;
  const auto count = [&](std::int64_t sign) {
    for (const auto& row : transaction.execute("SELECT label_key, author FROM project_by_label"
                                               " WHERE project_id = ANY($1::text[]) AND listed",
                                               {ids})) {
      deltas[{row.text(0), row.account(1)}] += sign;
    }
  };
  count(-1);
  flush_places(transaction);
  transaction.execute(
      "UPDATE project_by_label SET listed = NOT project.withdrawn AND NOT project.abandoned"
      " FROM project WHERE project.id = project_id AND project_id = ANY($1::text[])",
      {ids});
  count(1);
  std::erase_if(deltas, [](const auto& use) { return use.second == 0; });
  flush_uses(transaction, deltas);
}

void ProjectModel::flush_places(sql::Transaction& transaction) const {
  std::vector<std::string> ids;
  std::vector<std::string> labelled_ids;
  std::vector<std::string> keys;
  for (const auto& [id, changed] : changed_) {
    if (!changed.sealed_card) continue;
    ids.push_back(id);
    for (const std::string& key : changed.label_keys) {
      labelled_ids.push_back(id);
      keys.push_back(key);
    }
  }
  if (ids.empty()) return;
  transaction.execute("DELETE FROM project_by_label WHERE project_id = ANY($1::text[])", {ids});
  transaction.execute(
      "INSERT INTO project_by_label (label_key, published_at, project_id, author)"
      " SELECT new.key, project.published_at, project.id, project.author"
      " FROM unnest($1::text[], $2::text[]) AS new (key, id) JOIN project ON project.id = new.id",
      {keys, labelled_ids});
}

// An author counts for a label with the first of their projects that has it, until the last one.
void ProjectModel::flush_uses(sql::Transaction& transaction, const LabelUses& deltas) {
  struct Use {
    std::int64_t authors = 0;
    std::int64_t projects = 0;
  };
  if (deltas.empty()) return;
  std::vector<std::string> keys;
  std::vector<core::AccountId> authors;
  std::vector<std::int64_t> projects;
  for (const auto& [use, delta] : deltas) {
    keys.push_back(use.first);
    authors.push_back(use.second);
    projects.push_back(delta);
  }
  std::map<std::string, Use> uses;
  std::set<LabelUse> ended;
  for (const auto& row :
       transaction.execute("INSERT INTO label_author AS held (label_key, author, projects)"
                           " SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[])"
                           " ON CONFLICT (label_key, author)"
                           " DO UPDATE SET projects = held.projects + excluded.projects"
                           " RETURNING label_key, author, projects",
                           {keys, authors, projects})) {
    const std::int64_t delta = deltas.at({row.text(0), row.account(1)});
    const std::int64_t now = row.integer(2);
    const std::int64_t before = now - delta;
    Use& use = uses[row.text(0)];
    use.projects += delta;
    use.authors += (now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
    if (now == 0) ended.emplace(row.text(0), row.account(1));
  }
  sql::write_batch(
      transaction,
      "INSERT INTO label_use AS held (label_key, authors, projects)"
      " SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[])"
      " ON CONFLICT (label_key) DO UPDATE SET authors = held.authors + excluded.authors,"
      " projects = held.projects + excluded.projects",
      uses, sql::kKey, &Use::authors, &Use::projects);
  // Who edits labels without end leaves no rows behind.
  sql::write_batch(transaction,
                   "DELETE FROM label_author AS held USING unnest($1::text[], $2::uuid[])"
                   " AS gone (label_key, author) WHERE held.label_key = gone.label_key"
                   " AND held.author = gone.author AND held.projects = 0",
                   ended, &LabelUse::first, &LabelUse::second);
  sql::write_batch(transaction,
                   "DELETE FROM label_use WHERE label_key = ANY($1::text[]) AND projects = 0",
                   ended, &LabelUse::first);
}

}  // namespace tideline::projects
