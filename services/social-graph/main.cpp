#include <memory>

#include "runtime/service.hpp"
#include "social-graph/api/closed_account_rules.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/cli/person_operations.hpp"
#include "social-graph/migrations.hpp"
#include "social-graph/projections/graph_projection.hpp"
#include "social-graph/settings.hpp"

int main(int argc, char** argv) {
  using namespace tideline;
  social_graph::Settings settings;
  return runtime::run_service(
      argc, argv,
      {.name = "social-graph",
       .version = TIDELINE_VERSION,
       .migrations = social_graph::migrations(),
       .keeps_blocks = true,
       .read_settings =
           [&](core::Config& config) { settings = social_graph::Settings::read(config); },
       .compose =
           [&](runtime::ServiceContext& context) {
             const auto graph =
                 context.add_projection(std::make_unique<social_graph::GraphProjection>());
             context.add_projection(std::make_unique<eventsourcing::Reaction>(
                 std::make_unique<social_graph::ClosedAccountRules>(
                     social_graph::ClosedAccountPorts{
                         .database = context.database(),
                         .log = context.event_log(),
                         .people = context.people(),
                         .people_applied = context.people_applied(),
                         .graph_applied = graph.committed,
                         .groups = {context.cipher(), settings.group_limits()}}),
                 context.store(), context.clock()));
             social_graph::add_routes(context.router(), {.commands = context.commands(),
                                                         .database = context.database(),
                                                         .clock = context.clock(),
                                                         .random = context.random(),
                                                         .account_ids = context.account_ids(),
                                                         .cipher = context.cipher(),
                                                         .people = context.people(),
                                                         .people_applied = context.people_applied(),
                                                         .graph_applied = graph.committed,
                                                         .contact_limit = settings.contact_limit,
                                                         .group_limits = settings.group_limits(),
                                                         .declined_for = settings.declined_for});
           },
       .operations = {social_graph::export_operation(), social_graph::tagged_by_operation()}});
}
