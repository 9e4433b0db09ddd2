#include <memory>

#include "blocks/block_model.hpp"
#include "projects/api/closed_account_rules.hpp"
#include "projects/api/routes.hpp"
#include "projects/migrations.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/projections/project_search.hpp"
#include "projects/projections/projects_projection.hpp"
#include "runtime/service.hpp"
#include "runtime/swept_uploads.hpp"

int main(int argc, char** argv) {
  using namespace tideline;
  return runtime::run_service(
      argc, argv,
      {.name = "projects",
       .version = TIDELINE_VERSION,
       .migrations = projects::migrations(),
       .keeps_blocks = true,
       .keeps_uploads = true,
       .compose = [](runtime::ServiceContext& context) {
         const auto blocks = context.add_projection(std::make_unique<blocks::BlockProjection>());
         auto tables = context.add_projection(std::make_unique<projects::ProjectsProjection>());
         const auto search = context.add_projection(
             std::make_unique<projects::ProjectSearchProjection>(context.cipher()));
         context.add_projection(std::make_unique<eventsourcing::Reaction>(
             std::make_unique<projects::ClosedAccountRules>(
                 projects::ClosedAccountPorts{.database = context.database(),
                                              .log = context.event_log(),
                                              .cipher = context.cipher(),
                                              .people = context.people(),
                                              .people_applied = context.people_applied(),
                                              .projects_applied = tables.committed}),
             context.store(), context.clock()));
         auto& contents =
             runtime::add_uploads(context, "projects", projects::kReferencedUploadsSql);
         projects::add_routes(
             context.router(),
             {.commands = context.commands(),
              .database = context.database(),
              .clock = context.clock(),
              .random = context.random(),
              .account_ids = context.account_ids(),
              .cipher = context.cipher(),
              .people = context.people(),
              .uploads = contents,
              .large_uploads = context.make<uploads::TableLargeContentStore>(context.database()),
              .images = context.make<uploads::TableImageStore>(context.database(), contents),
              .renditions = context.make<images::RenditionMaker>(),
              .links = context.links(),
              .people_applied = context.people_applied(),
              .blocks_applied = blocks.committed,
              .projects_applied = tables.committed,
              .search_applied = search.committed});
       }});
}
