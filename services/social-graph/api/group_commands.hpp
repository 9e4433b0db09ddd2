// Commands on groups that touch several streams: the group, a membership and the count of members
// go into one append, or are asserted by it.
#pragma once

#include <cstdint>
#include <string>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/membership.hpp"

namespace tideline::social_graph {

// Thread-safe; blocks on the store and on the keys.
class GroupCommands {
 public:
  // `declined_for`: how long a declined invitation is not repeated.
  GroupCommands(crypto::SubjectCipher& cipher, std::int64_t member_limit,
                core::Timestamp::duration declined_for)
      : cipher_(cipher), member_limit_(member_limit), declined_for_(declined_for) {}

  // The creator is its first member.
  eventsourcing::Changed<Group> create(eventsourcing::CommandSession& session,
                                       const CreateGroup& command) const;
  eventsourcing::Changed<Group> dissolve(eventsourcing::CommandSession& session,
                                         const std::string& group_id,
                                         const core::AccountId& by) const;

  eventsourcing::Changed<Membership> invite(eventsourcing::CommandSession& session,
                                            const std::string& group_id,
                                            const core::AccountId& account,
                                            const core::AccountId& by) const;
  eventsourcing::Changed<Membership> decline(eventsourcing::CommandSession& session,
                                             const std::string& group_id,
                                             const core::AccountId& account) const;
  eventsourcing::Changed<Membership> join(eventsourcing::CommandSession& session,
                                          const std::string& group_id,
                                          const core::AccountId& account) const;
  eventsourcing::Changed<Membership> leave(eventsourcing::CommandSession& session,
                                           const std::string& group_id,
                                           const core::AccountId& account) const;
  eventsourcing::Changed<Membership> remove(eventsourcing::CommandSession& session,
                                            const std::string& group_id,
                                            const core::AccountId& account,
                                            const core::AccountId& by) const;
  eventsourcing::Changed<Membership> change_admin(eventsourcing::CommandSession& session,
                                                  const std::string& group_id,
                                                  const core::AccountId& account, bool is_admin,
                                                  const core::AccountId& by) const;
  // What becomes of a membership whose account is closed: a member leaves, and with its creator a
  // group is dissolved, for nobody else could, and its name went with his key.
  eventsourcing::CommandResult end_membership(eventsourcing::CommandSession& session,
                                              const std::string& group_id,
                                              const core::AccountId& account) const;

 private:
  Group::State usable_group(eventsourcing::CommandSession& session,
                            const std::string& group_id) const;
  // What the group and his membership, asserted both, say of who acts.
  static GroupActor actor(eventsourcing::CommandSession& session, const std::string& group_id,
                          const Group::State& group, const core::AccountId& account);
  eventsourcing::Changed<Membership> change_counted(eventsourcing::CommandSession& session,
                                                    const std::string& group_id,
                                                    const core::AccountId& account,
                                                    const Membership::Command& command) const;

  crypto::SubjectCipher& cipher_;
  std::int64_t member_limit_;
  core::Timestamp::duration declined_for_;
};

}  // namespace tideline::social_graph
