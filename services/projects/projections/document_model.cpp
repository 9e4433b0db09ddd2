#include "projects/projections/document_model.hpp"

#include <vector>

#include "eventsourcing/commands/decider.hpp"
#include "projects/stored_events.hpp"

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
  std::vector<std::string> projects, ids, titles, types, hashes;
  std::vector<core::AccountId> authors;
  std::vector<std::int64_t> sizes;
  std::vector<core::Timestamp> times;
  for (const auto& [key, added] : changed_) {
    if (!added) {
      transaction.execute("DELETE FROM document WHERE project_id = $1 AND id = $2",
                          {key.first, key.second});
      continue;
    }
    projects.push_back(key.first);
    ids.push_back(key.second);
    authors.push_back(added->document.author);
    titles.push_back(added->document.sealed_title);
    types.push_back(added->document.file.media_type);
    sizes.push_back(added->document.file.size_bytes);
    hashes.push_back(added->document.file.hash);
    times.push_back(added->added_at);
  }
  if (ids.empty()) return;
  transaction.execute(
      "INSERT INTO document (project_id, id, author, title, media_type, size, hash, added_at)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[],"
      " $6::bigint[], $7::text[], $8::timestamptz[])",
      {projects, ids, authors, titles, types, sizes, hashes, times});
}

}  // namespace tideline::projects
