// Settings of social-graph alone; those that all services share are in libs/runtime/settings.hpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/clock.hpp"
#include "core/config.hpp"
#include "social-graph/api/group_commands.hpp"

namespace tideline::social_graph {

struct Settings {
  // TIDELINE_CONTACT_LIMIT, 1 to 1,000,000: contacts that one person may have, exact for both
  // sides. Lowering it takes nobody's contacts away but lets no more in.
  std::int64_t contact_limit = 5'000;
  // TIDELINE_GROUP_MEMBER_LIMIT, 2 to 500: members of one private group, its creator among them.
  std::int64_t group_member_limit = 500;
  // TIDELINE_PUBLIC_GROUP_MEMBER_LIMIT, 2 to 5000: the same of a public one.
  std::int64_t public_group_member_limit = 5'000;

  // TIDELINE_DECLINED_DAYS, 0 to 3650: how long a contact request or an invitation that was
  // declined is not repeated.
  core::Timestamp::duration declined_for = std::chrono::days(30);

  GroupLimits group_limits() const {
    return {group_member_limit, public_group_member_limit, declined_for};
  }

  // Mistakes go to `config`.
  static Settings read(core::Config& config);
};

}  // namespace tideline::social_graph
