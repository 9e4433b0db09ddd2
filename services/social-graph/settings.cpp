#include "social-graph/settings.hpp"

namespace tideline::social_graph {

Settings Settings::read(core::Config& config) {
  Settings settings;
  settings.contact_limit =
      config.integer("TIDELINE_CONTACT_LIMIT", settings.contact_limit, 1, 1'000'000);
  settings.group_member_limit =
      config.integer("TIDELINE_GROUP_MEMBER_LIMIT", settings.group_member_limit, 2, 500);
  settings.public_group_member_limit = config.integer("TIDELINE_PUBLIC_GROUP_MEMBER_LIMIT",
                                                      settings.public_group_member_limit, 2, 5'000);
  settings.declined_for = std::chrono::days(config.integer("TIDELINE_DECLINED_DAYS", 30, 0, 3650));
  return settings;
}

}  // namespace tideline::social_graph
