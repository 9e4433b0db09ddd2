// The store of uploads of a service that keeps some (ServiceDefinition::keeps_uploads), swept once
// an hour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "postgres/migrations/migrations.hpp"
#include "runtime/service.hpp"
#include "uploads/content_store.hpp"

namespace tideline::runtime {

// To be called by compose(), after `projection` was added, of whose tables `references` is a query
// (uploads::References). The store lives as long as the context.
uploads::ContentStore& add_uploads(ServiceContext& context, std::string_view projection,
                                   std::string references);

// The tables whose rows belong to their column `owner`, and go with that account.
std::vector<std::string> upload_tables();

// Of its tables.
postgres::MigrationSet upload_migrations();

}  // namespace tideline::runtime
