#include "projects/domain/project.hpp"

#include "core/check.hpp"
#include "projects/domain/rejections.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;

namespace {

Decision<Project::Event> create(const Project::State& state, const CreateProject& wanted) {
  CHECK(!state.exists, "ids of projects are drawn anew");
  return Decision<Project::Event>::of(
      ProjectCreated{wanted.project_id, wanted.author, wanted.card, wanted.labels, wanted.now});
}

Decision<Project::Event> edit(const Project::State& state, const EditProject& wanted) {
  if (!state.exists) return kNoSuchProject;
  if (state.author != wanted.editor) return kNotTheAuthor;
  ProjectEdited edited{state.project_id, state.author, state.card, state.labels};
  for (const auto& [field, text] : wanted.texts) edited.card.*field = text;
  for (const auto& [field, text] : wanted.optional_texts) edited.card.*field = text;
  if (wanted.labels) edited.labels = *wanted.labels;
  if (edited.card == state.card && edited.labels == state.labels) {
    return Decision<Project::Event>::nothing();
  }
  return Decision<Project::Event>::of(std::move(edited));
}

Decision<Project::Event> change_icon(const Project::State& state, const ChangeIcon& wanted) {
  if (!state.exists) return kNoSuchProject;
  if (state.author != wanted.by) return kNotTheAuthor;
  if (state.icon == wanted.icon) return Decision<Project::Event>::nothing();
  return Decision<Project::Event>::of(
      ProjectIconChanged{state.project_id, state.author, wanted.icon});
}

Decision<Project::Event> withdraw(const Project::State& state, const WithdrawProject& wanted) {
  if (!state.exists) return kNoSuchProject;
  if (state.author != wanted.by) return kNotTheAuthor;
  if (state.withdrawn) return Decision<Project::Event>::nothing();
  return Decision<Project::Event>::of(ProjectWithdrawn{state.project_id, state.author});
}

Decision<Project::Event> restore(const Project::State& state, const RestoreProject& wanted) {
  if (!state.exists) return kNoSuchProject;
  if (state.author != wanted.by) return kNotTheAuthor;
  if (!state.withdrawn) return Decision<Project::Event>::nothing();
  return Decision<Project::Event>::of(ProjectRestored{state.project_id, state.author});
}

Decision<Project::Event> abandon(const Project::State& state) {
  if (!state.exists) return kNoSuchProject;
  if (state.abandoned) return Decision<Project::Event>::nothing();
  return Decision<Project::Event>::of(ProjectAbandoned{state.project_id, state.author});
}

}  // namespace

Project::State Project::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const ProjectCreated& created) {
                   state = {true,         created.project_id, created.author,
                            created.card, created.labels,     created.published_at};
                 },
                 [&](const ProjectEdited& edited) {
                   state.card = edited.card;
                   state.labels = edited.labels;
                 },
                 [&](const ProjectIconChanged& changed) { state.icon = changed.icon; },
                 [&](const ProjectWithdrawn&) { state.withdrawn = true; },
                 [&](const ProjectRestored&) { state.withdrawn = false; },
                 [&](const ProjectAbandoned&) { state.abandoned = true; },
             },
             event);
  return state;
}

Decision<Project::Event> Project::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const CreateProject& wanted) { return create(state, wanted); },
                        [&](const EditProject& wanted) { return edit(state, wanted); },
                        [&](const ChangeIcon& wanted) { return change_icon(state, wanted); },
                        [&](const WithdrawProject& wanted) { return withdraw(state, wanted); },
                        [&](const RestoreProject& wanted) { return restore(state, wanted); },
                        [&](const AbandonProject&) { return abandon(state); },
                    },
                    command);
}

}  // namespace tideline::projects
