#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"
#include "scoring/api/named_person.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/domain/rating.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/projections/rating_queries.hpp"
#include "scoring/stream_keys.hpp"

namespace tideline::scoring {
namespace {

namespace es = eventsourcing;
using http::Json;
using http::Request;
using http::Response;

// What a request rates or asks about.
struct Asked {
  RatingSubject subject;
  core::AccountId owner;  // the person, or the project's author
};

core::StreamId stream_of(const core::AccountId& rater, const Asked& asked) {
  return asked.subject.kind == RatingKind::Person ? keys::person_rating(rater, asked.owner)
                                                  : keys::project_rating(rater, asked.subject.id);
}

http::Problem no_such_project() {
  return http::problem(404, "no-such-project", "Not found", "there is no such project");
}

Asked person_asked(const ApiPorts& ports, const Request& request) {
  const auto person = member_in_path(ports, request);
  return Asked{{RatingKind::Person, person.account.to_string()}, person.account};
}

Asked project_asked(const ApiPorts& ports, const Request& request) {
  const std::string id(request.param("project_id"));
  if (!core::is_time_ordered_id(id)) http::refuse(no_such_project());
  const auto authors = core::value_of(ports.database.read_each_alone(
      [&](sql::Transaction& transaction) { return find_project_authors(transaction, {id}); }));
  const auto found = authors.find(id);
  if (found == authors.end()) http::refuse(no_such_project());
  refuse_apart(ports, request, found->second, no_such_project());
  return Asked{{RatingKind::Project, id}, found->second};
}

// The subject as answers name it: "user" for a person, "project_id" and "author" for a project.
Json subject_json(const RatingSubject& subject, const std::optional<core::AccountId>& owner,
                  const NamedPeople& people) {
  const Json person = owner ? people.json(*owner) : Json(nullptr);
  if (subject.kind == RatingKind::Person) return {{"user", person}};
  return {{"project_id", subject.id}, {"author", person}};
}

void add_total(Json& json, const RatingTotal& total) {
  json["ratings"] = total.ratings;
  json["stars"] = total.stars;
  json["mean"] = total.ratings == 0 ? Json(nullptr) : Json(total.mean());
  json["bayesian_mean"] = total.bayesian_mean();
}

template <class Find>
Response rate(const ApiPorts& ports, const Request& request, const Find& find) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::int64_t stars = fields.integer("stars", Rating::kStarsMin, Rating::kStarsMax);
  fields.check();
  http::await_models(request, {ports.people_applied, ports.blocks_applied, ports.ratings_applied});
  const Asked asked = find(ports, request);
  const auto people = NamedPeople::find(ports, {asked.owner});
  Json answer = subject_json(asked.subject, asked.owner, people);
  answer["stars"] = stars;
  const core::StreamId stream = stream_of(request.account(), asked);
  const RateSubject command{request.account(), asked.subject, asked.owner, stars};
  return ports.commands.answer(request, [=](es::CommandSession& session) -> es::CommandResult {
    es::change_last<Rating>(session, stream, eventsourcing::EventCodec<Rating>{}, command);
    return es::Answer{200, answer.dump(), "", stream};
  });
}

struct Shown {
  RatingTotal total;
  std::optional<std::int64_t> given;
};

template <class Find>
Response show(const ApiPorts& ports, const Request& request, const Find& find) {
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.ratings_applied},
      http::WhenBehind::Stale, [&] {
        const Asked asked = find(ports, request);
        const auto shown = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
          return Shown{find_rating(transaction, asked.subject),
                       find_given(transaction, request.account(), asked.subject)};
        }));
        const auto people = NamedPeople::find(ports, {asked.owner});
        Json json = subject_json(asked.subject, asked.owner, people);
        add_total(json, shown.total);
        json["given"] = shown.given ? Json(*shown.given) : Json(nullptr);
        return Response::json(200, json);
      });
}

struct RatedPage {
  sql::Slice<RatedSubject> subjects;
  std::map<std::string, core::AccountId> authors;
};

Json items_json(const ApiPorts& ports, RatingKind kind, const RatedPage& page) {
  const auto owner_of = [&](const std::string& id) -> std::optional<core::AccountId> {
    if (kind == RatingKind::Person) return core::AccountId::parse(id);
    const auto found = page.authors.find(id);
    if (found == page.authors.end()) return std::nullopt;
    return found->second;
  };
  std::vector<core::AccountId> accounts;
  for (const RatedSubject& rated : page.subjects.items) {
    if (const auto owner = owner_of(rated.place.id)) accounts.push_back(*owner);
  }
  const auto people = NamedPeople::find(ports, accounts);
  Json items = Json::array();
  for (const RatedSubject& rated : page.subjects.items) {
    Json item = subject_json({kind, rated.place.id}, owner_of(rated.place.id), people);
    add_total(item, rated.total);
    items.push_back(std::move(item));
  }
  return items;
}

Response list(const ApiPorts& ports, const Request& request, RatingKind kind) {
  const std::string name = "ratings/" + std::string(name_of(kind));
  const auto asked = http::value_of(http::read_page(request, name, parse_rating_place));
  return http::answer_query(request, {ports.ratings_applied}, http::WhenBehind::Stale, [&] {
    const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      RatedPage read{list_rated(transaction, kind, asked.before, asked.after, asked.limit), {}};
      std::vector<std::string> projects;
      for (const RatedSubject& rated : read.subjects.items) projects.push_back(rated.place.id);
      if (kind == RatingKind::Project) read.authors = find_project_authors(transaction, projects);
      return read;
    }));
    auto items = items_json(ports, kind, found);
    http::Page page;
    page.items = std::move(items);
    const auto& subjects = found.subjects;
    if (subjects.more_before) page.before = place_text(subjects.items.front().place);
    if (subjects.more_after) page.after = place_text(subjects.items.back().place);
    return http::page_response(name, std::move(page));
  });
}

}  // namespace

void add_rating_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/ratings/people", Access::SignedIn,
             [ports](const Request& request) { return list(ports, request, RatingKind::Person); });
  router.add(Method::Get, "/v1/ratings/projects", Access::SignedIn,
             [ports](const Request& request) { return list(ports, request, RatingKind::Project); });
  router.add(Method::Put, "/v1/ratings/people/{user_id}", Access::SignedIn,
             [ports](const Request& request) { return rate(ports, request, person_asked); });
  router.add(Method::Get, "/v1/ratings/people/{user_id}", Access::SignedIn,
             [ports](const Request& request) { return show(ports, request, person_asked); });
  router.add(Method::Put, "/v1/ratings/projects/{project_id}", Access::SignedIn,
             [ports](const Request& request) { return rate(ports, request, project_asked); });
  router.add(Method::Get, "/v1/ratings/projects/{project_id}", Access::SignedIn,
             [ports](const Request& request) { return show(ports, request, project_asked); });
}

}  // namespace tideline::scoring
