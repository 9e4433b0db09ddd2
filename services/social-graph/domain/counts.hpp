// What one person or one group may have many of, and how many at most.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids.hpp"
#include "eventsourcing/commands/limited_count.hpp"
#include "social-graph/events.hpp"

namespace tideline::social_graph {

using ContactCount = eventsourcing::LimitedCount<ContactCountChanged, core::AccountId>;
// Of those whom somebody blocks.
using BlockCount = eventsourcing::LimitedCount<BlockCountChanged, core::AccountId>;
using TagCount = eventsourcing::LimitedCount<TagCountChanged, core::AccountId>;
// Of the groups that somebody has created and not dissolved.
using GroupCount = eventsourcing::LimitedCount<GroupCountChanged, core::AccountId>;
using MemberCount = eventsourcing::LimitedCount<MemberCountChanged, std::string>;

// The limits on contacts and members are settings.
inline constexpr std::int64_t kBlocksMax = 10'000;
inline constexpr std::int64_t kTagsMax = 1'000;
inline constexpr std::int64_t kGroupsMax = 1'000;

inline const eventsourcing::Rejection kContactLimit{eventsourcing::RejectionKind::Conflict,
                                                    "contact-limit-reached",
                                                    "you have as many contacts as one may have"};
inline const eventsourcing::Rejection kTheirContactLimit{
    eventsourcing::RejectionKind::Conflict, "their-contact-limit-reached",
    "the other person has as many contacts as one may have"};
inline const eventsourcing::Rejection kBlockLimit{
    eventsourcing::RejectionKind::Conflict, "block-limit-reached",
    "you have blocked as many people as one may; unblock some first"};
inline const eventsourcing::Rejection kTagLimit{eventsourcing::RejectionKind::Conflict,
                                                "tag-limit-reached",
                                                "you have as many tags as one may have"};
inline const eventsourcing::Rejection kGroupLimit{
    eventsourcing::RejectionKind::Conflict, "group-limit-reached",
    "you have created as many groups as one may have; dissolve one first"};
inline const eventsourcing::Rejection kGroupFull{eventsourcing::RejectionKind::Conflict,
                                                 "group-full",
                                                 "the group has as many members as one may have"};

}  // namespace tideline::social_graph
