#include "projects/projections/project_model.hpp"

#include <ranges>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void ProjectModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::ProjectCreated, read::ProjectEdited, ProjectIconChanged>;
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
             },
             *known);
}

void ProjectModel::flush(sql::Transaction& transaction) const {
  if (changed_.empty()) return;
  flush_created(transaction);
  flush_edited(transaction);
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

void ProjectModel::flush_labels(sql::Transaction& transaction) const {
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

}  // namespace tideline::projects
