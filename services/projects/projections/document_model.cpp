#include "projects/projections/document_model.hpp"

#include <ranges>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"
#include "sql/columns.hpp"

namespace tideline::projects {

void DocumentModel::apply(const eventsourcing::RecordedEvent& event) {
  const auto known =
      eventsourcing::read_any<std::variant<read::DocumentAdded, DocumentRemoved>>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const read::DocumentAdded& added) {
                   changed_[{added.project_id, added.document_id}] = Added{added, event.time};
                 },
                 [&](const DocumentRemoved& removed) {
                   changed_[{removed.project_id, removed.document_id}] = std::nullopt;
                 },
             },
             *known);
}

void DocumentModel::flush(sql::Transaction& transaction) const {
  for (const auto& [key, added] : changed_) {
    if (added) continue;
    transaction.execute("DELETE FROM document WHERE project_id = $1 AND id = $2",
                        {key.project_id, key.document_id});
  }
  using read::DocumentAdded;
  const auto of_file = [](auto member) {
    return sql::at(&Entry::second, &Added::document, &DocumentAdded::file, member);
  };
  sql::write_batch(
      transaction,
      "INSERT INTO document (project_id, id, author, title, media_type, size, hash, added_at)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[],"
      " $6::bigint[], $7::text[], $8::timestamptz[])",
      changed_ | std::views::filter([](const Entry& entry) { return entry.second.has_value(); }),
      &Key::project_id, &Key::document_id,
      sql::at(&Entry::second, &Added::document, &DocumentAdded::author),
      sql::at(&Entry::second, &Added::document, &DocumentAdded::sealed_title),
      of_file(&StoredFile::media_type), of_file(&StoredFile::size_bytes),
      of_file(&StoredFile::hash), sql::at(&Entry::second, &Added::added_at));
}

}  // namespace tideline::projects
