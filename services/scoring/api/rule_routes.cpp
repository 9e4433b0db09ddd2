#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/api/score_json.hpp"
#include "scoring/domain/rule_changes.hpp"
#include "scoring/projections/events_by_hand.hpp"
#include "scoring/projections/rules_json.hpp"
#include "scoring/stream_keys.hpp"

namespace tideline::scoring {
namespace {

namespace es = eventsourcing;
using http::FieldReader;
using http::Json;
using http::Request;
using http::Response;

constexpr std::size_t kReasonNameMax = 64;

Response rules(const ApiPorts& ports) {
  const RuleSet set = rules_of_today(ports);
  return Response::json(
      200,
      {{"version", set.version}, {"rules", rules_json(set)}, {"levels", levels_json(set.levels)}});
}

Response levels(const ApiPorts& ports, const Request& request) {
  return http::answer_query(request, {ports.scores_in_memory}, http::WhenBehind::Stale, [&] {
    const Levels levels = rules_of_today(ports).levels;
    const std::vector<std::uint64_t> members = ports.scores.members_by_level(levels);
    Json list = Json::array();
    std::uint64_t all = 0;
    for (std::size_t level = 0; level < members.size(); ++level) {
      const Json points = level == 0 ? Json(nullptr) : Json(levels.thresholds().at(level - 1));
      list.push_back({{"level", level}, {"points", points}, {"members", members[level]}});
      all += members[level];
    }
    return Response::json(200, {{"members", all}, {"levels", std::move(list)}});
  });
}

Response versions(const ApiPorts& ports, const Request& request) {
  return http::answer_query(request, {ports.scores_in_memory}, http::WhenBehind::Stale, [&] {
    const auto kept = ports.scores.rules();
    const core::Day today = ports.campus.day_of(ports.clock.now());
    Json coming = Json::array();
    for (const RuleSet& set : kept->book.coming_after(today)) coming.push_back(rule_set_json(set));
    Response response = Response::json(
        200, {{"in_force", rule_set_json(kept->book.on(today))}, {"coming", std::move(coming)}});
    if (kept->version.value() > 0) response.header("ETag", http::entity_tag(kept->version));
    return response;
  });
}

std::vector<Rule> read_rules(FieldReader& fields) {
  std::vector<Rule> rules;
  std::set<std::string> seen;
  for (FieldReader& item : fields.objects("rules", kReasonCount)) {
    const std::string name = item.text("reason", {1, kReasonNameMax});
    const auto reason = reason_named(name);
    if (!reason || *reason == Reason::Adjustment) {
      item.violate("reason", "is none that has a rule");
    } else if (!seen.insert(name).second) {
      item.violate("reason", "has a rule already");
    }
    Rule rule{reason.value_or(Reason::SignIn),
              item.integer("points", -Rule::kPointsMax, Rule::kPointsMax),
              item.integer("contribution", 0, Rule::kContributionMax)};
    if (const auto cap = item.optional_integer("cap_per_day", 1, Rule::kCapMax)) {
      rule.cap_per_day = static_cast<std::uint32_t>(*cap);
    }
    rules.push_back(rule);
  }
  return rules;
}

// Where each begins, in the form that answers have: numbered from 1 on.
std::vector<std::int64_t> read_level_points(FieldReader& fields) {
  std::vector<std::int64_t> points;
  for (FieldReader& item : fields.objects("levels", Levels::kCountMax)) {
    const auto number = static_cast<std::int64_t>(points.size()) + 1;
    item.integer("level", number, number);
    points.push_back(item.integer("points", -Levels::kPointsMax, Levels::kPointsMax));
    if (number > 1 && points.back() <= points.at(points.size() - 2)) {
      item.violate("points", "is not above the level before");
    }
  }
  if (points.empty()) fields.violate("levels", "has at least one");
  return points;
}

Response change(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  FieldReader fields(body);
  ChangeRules command;
  command.rules = read_rules(fields);
  command.level_points = read_level_points(fields);
  fields.check();
  command.operator_id = request.account();
  const core::StreamId stream = keys::rules();
  return ports.commands.answer(request, [&](es::CommandSession& session) -> es::CommandResult {
    command.today = session.context().today;
    const auto changed =
        es::change<RuleChanges>(session, stream, eventsourcing::EventCodec<RuleChanges>{}, command);
    return es::Answer{201, rule_set_json(changed.state.book.newest()).dump(), "", stream};
  });
}

}  // namespace

void add_rule_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/points/rules", Access::SignedIn,
             [ports](const Request&) { return rules(ports); });
  router.add(Method::Get, "/v1/points/levels", Access::SignedIn,
             [ports](const Request& request) { return levels(ports, request); });
  router.add(Method::Get, "/v1/points/rules/versions", Access::Operator,
             [ports](const Request& request) { return versions(ports, request); });
  router.add(Method::Post, "/v1/points/rules/versions", Access::Operator,
             [ports](const Request& request) { return change(ports, request); });
}

}  // namespace tideline::scoring
