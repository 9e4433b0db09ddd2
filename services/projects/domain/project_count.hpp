// How many projects a person has published. A project is never taken away, so this is for ever.
#pragma once

#include "core/ids.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "projects/events.hpp"

namespace tideline::projects {

using ProjectCount = eventsourcing::LimitedCount<ProjectCountChanged, core::AccountId>;

inline constexpr std::int64_t kProjectsMax = 2'000;

inline const eventsourcing::Rejection kProjectLimit{
    eventsourcing::RejectionKind::Conflict, "project-limit-reached",
    "you have published as many projects as one may have"};

}  // namespace tideline::projects
