#include "projects/api/project_items.hpp"

#include <utility>

#include "projects/stored_events.hpp"

namespace tideline::projects {

using http::Json;
using StoredProject = eventsourcing::Stored<ProjectCreated>;

namespace {

Json card_json(const std::optional<Card>& card) {
  Json json;
  for (const auto& field : kTexts) json[field.name] = card ? Json(*card.*field.value) : Json();
  for (const auto& field : kOptionalTexts) {
    const bool has = card && *card.*field.value;
    json[field.name] = has ? Json(*(*card.*field.value)) : Json();
  }
  return json;
}

}  // namespace

Json project_json(const ApiPorts& ports, const ProjectRow& row, const OpenedProject& opened,
                  Json author, const std::optional<uploads::ImagePreview>& icon,
                  const core::AccountId& viewer) {
  Json project = card_json(opened.card);
  project["id"] = row.id;
  project["author"] = std::move(author);
  project["labels"] = opened.labels.names;
  // Anyone who has been erased has no uploads either.
  put_icon(project, ports, row.id, opened.card ? row.icon : std::nullopt, icon, viewer);
  project["published_at"] = core::format_iso8601(row.published_at);
  project["edited_at"] = row.edited_at ? Json(core::format_iso8601(*row.edited_at)) : Json(nullptr);
  project["withdrawn"] = row.withdrawn;
  project["comment_count"] = row.comments;
  project["document_count"] = row.documents;
  project["advice"] = {{"count", row.advice}, {"adopted", row.advice_adopted}};
  project["votes"] = {{"state", row.voting}, {"tally", row.tally}};
  return project;
}

std::vector<std::optional<uploads::ImagePreview>> icon_previews(
    const ApiPorts& ports, const std::vector<ProjectRow>& projects) {
  std::vector<uploads::ImageName> names;
  for (const ProjectRow& row : projects) {
    if (row.icon) names.push_back({row.author, *row.icon});
  }
  const auto found = core::value_of(ports.images.previews(names));
  std::vector<std::optional<uploads::ImagePreview>> previews(projects.size());
  for (std::size_t i = 0; i < projects.size(); ++i) {
    if (!projects[i].icon) continue;
    const auto preview = found.find({projects[i].author, *projects[i].icon});
    if (preview != found.end()) previews[i] = preview->second;
  }
  return previews;
}

std::vector<OpenedProject> open_projects(const ApiPorts& ports,
                                         const std::vector<ProjectRow>& projects) {
  std::vector<crypto::SealedText> sealed;
  for (const ProjectRow& row : projects) {
    sealed.push_back({row.author, row.sealed_card, StoredProject::kCardContext});
    sealed.push_back({row.author, row.sealed_labels, StoredProject::kLabelsContext});
  }
  const auto texts = core::value_of(ports.cipher.open_many(sealed));
  std::vector<OpenedProject> opened(projects.size());
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const auto& card = texts[2 * i];
    const auto& labels = texts[2 * i + 1];
    // Labels of older events are in clear, and stay there when their author has been erased.
    if (card) opened[i].card = card_from_json(*card);
    if (card && labels) opened[i].labels = labels_from_json(*labels).value_or(Labels{});
  }
  return opened;
}

Json projects_json(const ApiPorts& ports, const NamedProjects& named,
                   const std::vector<OpenedProject>& opened, const core::AccountId& viewer) {
  const auto icons = icon_previews(ports, named.projects);
  Json items = Json::array();
  for (std::size_t i = 0; i < named.projects.size(); ++i) {
    const ProjectRow& row = named.projects[i];
    items.push_back(project_json(ports, row, opened[i], person_json(named.people, row.author),
                                 icons[i], viewer));
  }
  return items;
}

NamedPeople authors_of(const ApiPorts& ports, sql::Transaction& transaction,
                       const std::vector<ProjectRow>& projects) {
  std::vector<core::AccountId> authors;
  for (const ProjectRow& row : projects) authors.push_back(row.author);
  return ports.people.find_many(transaction, authors);
}

std::string place_of(const ProjectRow& row) {
  return sql::place_text(sql::Place<std::string>{row.published_at, row.id});
}

}  // namespace tideline::projects
