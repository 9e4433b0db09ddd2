// Projects as answers show them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/messages/json.hpp"
#include "projects/api/answers.hpp"
#include "projects/domain/project.hpp"
#include "projects/projections/project_queries.hpp"

namespace tideline::projects {

// A field of the card, in bodies and in answers.
template <class Value>
struct CardField {
  const char* name;
  http::Length length;  // which may be empty need not be given
  Value Card::*value;
};
inline constexpr CardField<std::string> kTexts[] = {
    {"name", {1, 100}, &Card::name},
    {"introduction", {0, 5000}, &Card::introduction},
};
inline constexpr CardField<std::optional<std::string>> kOptionalTexts[] = {
    {"link", {1, 500}, &Card::link},
    {"looking_for", {1, 200}, &Card::looking_for},
};

using NamedPeople = std::map<core::AccountId, people::Person>;

NamedPeople authors_of(const ApiPorts& ports, sql::Transaction& transaction,
                       const std::vector<ProjectRow>& projects);

struct NamedProjects {
  std::vector<ProjectRow> projects;
  NamedPeople people;
  bool more_before = false;
  bool more_after = false;
};

// What the author has written of a project.
struct OpenedProject {
  std::optional<Card> card;  // nullopt: its author has been erased
  Labels labels;
};

// Of a page at once, in its order.
std::vector<OpenedProject> open_projects(const ApiPorts& ports,
                                         const std::vector<ProjectRow>& projects);

// One that the author is shown after a command.
http::Json project_json(const ApiPorts& ports, const ProjectRow& row, const OpenedProject& opened,
                        http::Json author, const std::optional<uploads::ImagePreview>& icon,
                        const core::AccountId& viewer);
// How the icons of these projects look, in their order.
std::vector<std::optional<uploads::ImagePreview>> icon_previews(
    const ApiPorts& ports, const std::vector<ProjectRow>& projects);
// A page of them.
http::Json projects_json(const ApiPorts& ports, const NamedProjects& named,
                         const std::vector<OpenedProject>& opened, const core::AccountId& viewer);

// Where a list that is newest first goes on.
std::string place_of(const ProjectRow& row);

}  // namespace tideline::projects
