// The "no" that several aggregates share, or the routes beside one. Codes are part of the HTTP
// contract.
#pragma once

#include "eventsourcing/commands/decider.hpp"

namespace tideline::projects {

inline const eventsourcing::Rejection kNoSuchProject{eventsourcing::RejectionKind::NotFound,
                                                     "no-such-project", "there is no such project"};
inline const eventsourcing::Rejection kNotTheAuthor{eventsourcing::RejectionKind::Forbidden,
                                                    "not-the-author",
                                                    "only the project's author may do this"};
inline const eventsourcing::Rejection kWithdrawn{eventsourcing::RejectionKind::Conflict,
                                                 "project-withdrawn",
                                                 "the project is withdrawn: restore it first"};
inline const eventsourcing::Rejection kNoSuchComment{
    eventsourcing::RejectionKind::NotFound, "no-such-comment", "the project has no such comment"};
inline const eventsourcing::Rejection kNoSuchDocument{
    eventsourcing::RejectionKind::NotFound, "no-such-document", "the project has no such document"};
inline const eventsourcing::Rejection kNoSuchAdvice{eventsourcing::RejectionKind::NotFound,
                                                    "no-such-advice",
                                                    "there is no such advice on this project"};

}  // namespace tideline::projects
