#include "projects/domain/documents.hpp"

#include "core/check.hpp"
#include "projects/domain/rejections.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

namespace {

Decision<Documents::Event> add(const Documents::State& state, const AddDocument& wanted) {
  CHECK(!state.standing_by_id.contains(wanted.document_id), "ids of documents are drawn anew");
  if (wanted.by != wanted.author) return kNotTheAuthor;
  if (state.standing == Documents::kStandingMax) {
    return Rejection{RejectionKind::Conflict, "too-many-documents",
                     "a project has at most 20 documents"};
  }
  if (state.standing_by_id.size() == Documents::kEverMax) {
    return Rejection{RejectionKind::Conflict, "too-many-documents",
                     "a project has had at most 200 documents, those that were removed included"};
  }
  return Decision<Documents::Event>::of(DocumentAdded{
      wanted.project_id, wanted.author, wanted.document_id, wanted.title, wanted.file});
}

Decision<Documents::Event> remove(const Documents::State& state, const RemoveDocument& wanted) {
  const auto known = state.standing_by_id.find(wanted.document_id);
  if (known == state.standing_by_id.end()) return kNoSuchDocument;
  if (wanted.by != wanted.author) return kNotTheAuthor;
  if (!known->second) return Decision<Documents::Event>::nothing();
  return Decision<Documents::Event>::of(
      DocumentRemoved{wanted.project_id, wanted.author, wanted.document_id});
}

}  // namespace

Documents::State Documents::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const DocumentAdded& added) {
                   state.standing_by_id[added.document_id] = true;
                   ++state.standing;
                 },
                 [&](const DocumentRemoved& removed) {
                   state.standing_by_id[removed.document_id] = false;
                   --state.standing;
                 },
             },
             event);
  return state;
}

Decision<Documents::Event> Documents::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const AddDocument& wanted) { return add(state, wanted); },
                        [&](const RemoveDocument& wanted) { return remove(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::projects
