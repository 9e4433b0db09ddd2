// The "no" that several aggregates share. Codes are part of the HTTP contract.
#pragma once

#include "eventsourcing/commands/decider.hpp"

namespace tideline::social_graph {

// Nobody is his own contact, follower or exclusion. There is no stream for such a pair, so the edge
// asks before it names one.
inline const eventsourcing::Rejection kOneself{eventsourcing::RejectionKind::Invalid, "oneself",
                                               "this cannot be done with yourself"};

// The caller blocks the other.
inline const eventsourcing::Rejection kYouBlock{eventsourcing::RejectionKind::Conflict,
                                                "person-blocked",
                                                "you have blocked this person; unblock first"};
// The answer to whoever is blocked: word for word http::no_such_person().
inline const eventsourcing::Rejection kNobody{
    eventsourcing::RejectionKind::NotFound, "no-such-person", "nobody has registered this user_id"};

inline const eventsourcing::Rejection kNoSuchContact{eventsourcing::RejectionKind::NotFound,
                                                     "no-such-contact",
                                                     "this person is not one of your contacts"};

// Also the answer to whoever may not know that the tag or group exists.
inline const eventsourcing::Rejection kNoSuchTag{eventsourcing::RejectionKind::NotFound,
                                                 "no-such-tag", "you have no such tag"};
inline const eventsourcing::Rejection kNoSuchGroup{eventsourcing::RejectionKind::NotFound,
                                                   "no-such-group", "there is no such group"};

inline const eventsourcing::Rejection kNoSuchMember{eventsourcing::RejectionKind::NotFound,
                                                    "no-such-member",
                                                    "this person is not a member of the group"};
inline const eventsourcing::Rejection kMembersOnly{eventsourcing::RejectionKind::Forbidden,
                                                   "members-only",
                                                   "only members of the group may do this"};
inline const eventsourcing::Rejection kOnlyCreatorAndAdmins{
    eventsourcing::RejectionKind::Forbidden, "only-creator-and-admins",
    "only the group's creator and its admins may do this"};
inline const eventsourcing::Rejection kOnlyTheCreator{eventsourcing::RejectionKind::Forbidden,
                                                      "only-the-creator",
                                                      "only who created the group may do this"};

}  // namespace tideline::social_graph
