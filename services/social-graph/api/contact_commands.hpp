// Commands on a pair of people: what they change of the pair and of both counts goes into one
// append, so that the limit is exact for both sides.
#pragma once

#include <cstdint>
#include <string>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/remark.hpp"

namespace tideline::social_graph {

// A contact that ends takes the remarks of both with it. `me` acts, `other` is the other one of the
// pair. Blocks on the store.
eventsourcing::Changed<ContactPair> change_pair(eventsourcing::CommandSession& session,
                                                const core::AccountId& me,
                                                const core::AccountId& other,
                                                const ContactPair::Command& command,
                                                std::int64_t contact_limit);

// What `owner` calls `other`, who must be a contact when this commits.
eventsourcing::Changed<Remark> change_remark(eventsourcing::CommandSession& session,
                                             crypto::SubjectCipher& cipher,
                                             const core::AccountId& owner,
                                             const core::AccountId& other,
                                             const std::string& remark);
eventsourcing::Changed<Remark> remove_remark(eventsourcing::CommandSession& session,
                                             const core::AccountId& owner,
                                             const core::AccountId& other);

// Whatever is between them ends, as `me` would end it.
eventsourcing::Changed<ContactPair> end_pair(eventsourcing::CommandSession& session,
                                             const core::AccountId& me,
                                             const core::AccountId& other);

}  // namespace tideline::social_graph
