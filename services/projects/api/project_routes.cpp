#include <set>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/commands/once.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "projects/api/answers.hpp"
#include "projects/api/project_items.hpp"
#include "projects/api/project_search.hpp"
#include "projects/api/routes.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/project_count.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/projections/projects_projection.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"

namespace tideline::projects {
namespace {

using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::FieldReader;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using sql::Transaction;
using StoredProject = eventsourcing::Stored<ProjectCreated>;

constexpr http::Length kLabelLength{1, 40};
constexpr std::size_t kLabelsMax = 10;

void check_link(FieldReader& fields, const std::optional<std::string>& link) {
  if (link && !link->starts_with("http://") && !link->starts_with("https://")) {
    fields.violate("link", "must begin with http:// or https://");
  }
}

Card read_card(FieldReader& fields) {
  Card card;
  for (const auto& [name, length, value] : kTexts) {
    card.*value = length.min > 0 ? fields.text(name, length)
                                 : fields.optional_text(name, length).value_or("");
  }
  for (const auto& [name, length, value] : kOptionalTexts) {
    card.*value = fields.optional_text(name, length);
  }
  check_link(fields, card.link);
  return card;
}

void read_card_changes(FieldReader& fields, EditProject& edit) {
  for (const auto& [name, length, value] : kTexts) {
    if (fields.has(name)) edit.texts.emplace_back(value, fields.text(name, length));
  }
  for (const auto& [name, length, value] : kOptionalTexts) {
    const auto text = fields.nullable_text(name, length);
    if (!text) continue;
    if (value == &Card::link) check_link(fields, *text);
    edit.optional_texts.emplace_back(value, *text);
  }
}

void check_labels(FieldReader& fields, const std::vector<std::string>& labels) {
  if (std::set(labels.begin(), labels.end()).size() != labels.size()) {
    fields.violate("labels", "must not name a label twice");
  }
}

// The answer to its author, from what the command left behind; counts come from the tables.
std::string changed_body(const ApiPorts& ports, const Project::State& state,
                         std::optional<core::Timestamp> edited_at) {
  ProjectRow row;
  row.id = state.project_id;
  row.published_at = state.published_at;
  row.edited_at = edited_at;
  row.voting = "not-opened";
  row.icon = state.icon;
  row.withdrawn = state.withdrawn;
  if (edited_at) {
    const auto found = ports.database.read(
        [&](Transaction& transaction) { return find_project(transaction, state.project_id); });
    if (found && *found) {
      row.comments = (*found)->comments;
      row.documents = (*found)->documents;
      row.advice = (*found)->advice;
      row.advice_adopted = (*found)->advice_adopted;
      row.voting = (*found)->voting;
      row.tally = (*found)->tally;
    }
  }
  row.author = state.author;
  return project_json(ports, row, {state.card, state.labels}, person_json(ports, state.author),
                      icon_previews(ports, {row}).front(), state.author)
      .dump();
}

Response create_project(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  FieldReader fields(body);
  const Card card = read_card(fields);
  const Labels labels{fields.optional_text_array("labels", kLabelsMax, kLabelLength)};
  check_labels(fields, labels.names);
  fields.check();
  const core::AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const core::Timestamp now = session.context().now;
    const std::string id = core::make_time_ordered_id(now, ports.random);
    const auto stream = keys::project(id);
    const auto project =
        change<Project>(session, stream, eventsourcing::EventCodec<Project>(ports.cipher),
                        CreateProject{id, me, card, labels, now});
    eventsourcing::change_last<ProjectCount>(session, keys::project_count(me),
                                             eventsourcing::EventCodec<ProjectCount>{},
                                             ProjectCount::Add{me, kProjectsMax, kProjectLimit});
    return Answer{201, changed_body(ports, project.state, std::nullopt), "/v1/projects/" + id,
                  stream};
  });
}

Response edit_project(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  const auto body = http::value_of(http::read_json_object(request));
  FieldReader fields(body);
  EditProject edit;
  edit.editor = request.account();
  read_card_changes(fields, edit);
  if (const auto labels = fields.nullable_text_array("labels", kLabelsMax, kLabelLength)) {
    check_labels(fields, *labels);
    edit.labels = Labels{*labels};
  }
  fields.check();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::project(id);
    eventsourcing::Changed<Project> project;
    hide_from_strangers(ports, session, id, edit.editor, [&] {
      project =
          change<Project>(session, stream, eventsourcing::EventCodec<Project>(ports.cipher), edit);
    });
    return Answer{200, changed_body(ports, project.state, session.context().now), "", stream};
  });
}

Response get_project(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  return answer_from_tables<NamedProjects>(
      ports, request,
      [&](Transaction& transaction) -> NamedProjects {
        NamedProjects named{{visible_project(transaction, id, request.account())}, {}};
        named.people = authors_of(ports, transaction, named.projects);
        return named;
      },
      [&](const NamedProjects& named) {
        const auto opened = open_projects(ports, named.projects);
        const auto items = projects_json(ports, named, opened, request.account());
        return Response::json(200, items[0])
            .header("ETag", http::entity_tag(named.projects[0].version));
      });
}

Response answer_list(const ApiPorts& ports, std::string_view kind, const NamedProjects& named,
                     const core::AccountId& viewer) {
  auto items = projects_json(ports, named, open_projects(ports, named.projects), viewer);
  http::Page page{std::move(items), std::nullopt, std::nullopt};
  if (named.more_before) page.before = place_of(named.projects.front());
  if (named.more_after) page.after = place_of(named.projects.back());
  return http::page_response(kind, std::move(page));
}

// `select` gives the rows of a page of that kind.
template <class Select>
Response list_newest_first(const ApiPorts& ports, const Request& request, std::string_view kind,
                           const Select& select) {
  const auto page = http::value_of(http::read_page(request, kind, sql::parse_id_place));
  return answer_from_tables<NamedProjects>(
      ports, request,
      [&](Transaction& transaction) -> NamedProjects {
        auto slice = select(transaction, {page.before, page.after, page.limit});
        NamedProjects named{std::move(slice.items), {}, slice.more_before, slice.more_after};
        named.people = authors_of(ports, transaction, named.projects);
        return named;
      },
      [&](const NamedProjects& named) {
        return answer_list(ports, kind, named, request.account());
      });
}

Response list_projects(const ApiPorts& ports, const Request& request) {
  const auto author = request.query("author");
  const auto label = request.query("label");
  const auto order = request.query("order");
  if (request.query("query") || request.query("name")) return search_projects(ports, request);
  if (author.has_value() + label.has_value() + order.has_value() != 1 ||
      order.value_or("newest") != "newest") {
    return to_response(http::malformed(
        "ask for the projects of one author, or of one label, or for order=newest"));
  }
  using Window = sql::Window<std::string>;
  if (order) {
    return list_newest_first(ports, request, "projects-newest",
                             [&](Transaction& transaction, const Window& window) {
                               return list_newest(transaction, request.account(), window);
                             });
  }
  if (label) {
    return list_newest_first(
        ports, request, "projects-by-label", [&](Transaction& transaction, const Window& window) {
          const auto key = ports.cipher.index(*label, StoredProject::kLabelKeysContext);
          return list_by_label(transaction, {std::string(*label), key}, request.account(), window);
        });
  }
  if (!core::is_user_id(*author)) {
    return to_response(http::malformed("author is not a user_id"));
  }
  return list_newest_first(ports, request, "projects",
                           [&](Transaction& transaction, const Window& window) {
                             return list_by_author(transaction, ports.account_ids.of(*author),
                                                   request.account(), window);
                           });
}

// Withdraws the project, or restores it.
template <class Command>
Response change_standing(const ApiPorts& ports, const Request& request, bool withdrawn) {
  const auto id = project_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::project(id);
    hide_from_strangers(ports, session, id, request.account(), [&] {
      change<Project>(session, stream, eventsourcing::EventCodec<Project>(ports.cipher),
                      Command{request.account()});
    });
    const std::string body = withdrawn ? Json({{"id", id}, {"withdrawn", true}}).dump() : "";
    return Answer{withdrawn ? 200 : 204, body, "", stream};
  });
}

Response withdraw_project(const ApiPorts& ports, const Request& request) {
  return change_standing<WithdrawProject>(ports, request, true);
}

Response restore_project(const ApiPorts& ports, const Request& request) {
  return change_standing<RestoreProject>(ports, request, false);
}

constexpr int kVisitDaysMax = 30;

Response visit(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  return ports.commands.answer(request, [&](CommandSession& session) {
    const core::AccountId& visitor = request.account();
    const core::Day today = session.context().today;
    const auto stream = keys::visit(id, visitor, today);
    if (author_of(ports, session, id, visitor) != visitor) {
      eventsourcing::record_once(session, stream, ProjectVisited{id, visitor, today});
    }
    return Answer{204, "", "", stream};
  });
}

Response visits_response(const sql::DayCounts& visits) {
  Json days = Json::array();
  for (const auto& [day, count] : visits.days) {
    days.push_back({{"day", core::format_day(day)}, {"visits", count}});
  }
  return Response::json(200, {{"total", visits.total}, {"days", std::move(days)}});
}

Response list_visits(const ApiPorts& ports, const Request& request) {
  const auto id = project_in_path(request);
  return answer_from_tables<sql::DayCounts>(
      ports, request,
      [&](Transaction& transaction) {
        visible_project(transaction, id, request.account());
        return sql::find_day_counts(transaction, VisitModel::kTables[0], id, kVisitDaysMax);
      },
      visits_response);
}

}  // namespace

void add_project_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/projects", Access::SignedIn, with(create_project));
  router.add(Method::Get, "/v1/projects", Access::SignedIn, with(list_projects));
  router.add(Method::Get, "/v1/projects/{project_id}", Access::SignedIn, with(get_project));
  router.add(Method::Patch, "/v1/projects/{project_id}", Access::SignedIn, with(edit_project));
  const std::string withdrawal = "/v1/projects/{project_id}/withdrawal";
  router.add(Method::Put, withdrawal, Access::SignedIn, with(withdraw_project));
  router.add(Method::Delete, withdrawal, Access::SignedIn, with(restore_project));
  router.add(Method::Post, "/v1/projects/{project_id}/visits", Access::SignedIn, with(visit));
  router.add(Method::Get, "/v1/projects/{project_id}/visits", Access::SignedIn, with(list_visits));
}

}  // namespace tideline::projects
