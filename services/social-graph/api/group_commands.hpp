// Commands on groups that touch several streams: the group, the claim of its name, a membership and
// the counts go into one append, or are asserted by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/membership.hpp"

namespace tideline::social_graph {

// See Settings.
struct GroupLimits {
  std::int64_t private_members = 500;
  std::int64_t public_members = 5'000;
  // How long a declined invitation is not repeated.
  core::Timestamp::duration declined_for{};
};

// Thread-safe; blocks on the store and on the keys.
class GroupCommands {
 public:
  GroupCommands(crypto::SubjectCipher& cipher, const GroupLimits& limits)
      : cipher_(cipher), limits_(limits) {}

  // The creator is its first member. The command's name_key is made here.
  eventsourcing::Changed<Group> create(eventsourcing::CommandSession& session,
                                       CreateGroup command) const;
  eventsourcing::Changed<Group> rename(eventsourcing::CommandSession& session,
                                       const std::string& group_id, const std::string& name,
                                       const core::AccountId& by) const;
  eventsourcing::Changed<Group> change_history(eventsourcing::CommandSession& session,
                                               const std::string& group_id, GroupHistory history,
                                               const core::AccountId& by) const;
  // Who gives it away becomes a plain member; so does the new creator when he gives it away.
  eventsourcing::Changed<Group> hand_over(eventsourcing::CommandSession& session,
                                          const std::string& group_id, const core::AccountId& to,
                                          const core::AccountId& by) const;
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
  core::AccountId name_key(const core::AccountId& creator, const std::string& name) const;
  void claim_name(eventsourcing::CommandSession& session, const std::string& group_id,
                  const core::AccountId& name_key,
                  const eventsourcing::Rejection& when_taken) const;
  // Nothing for a group that holds no claim.
  void release_name(eventsourcing::CommandSession& session, const std::string& group_id,
                    const std::optional<core::AccountId>& name_key) const;
  Group::State usable_group(eventsourcing::CommandSession& session,
                            const std::string& group_id) const;
  // What the group and his membership, asserted both, say of who acts.
  static GroupActor actor(eventsourcing::CommandSession& session, const std::string& group_id,
                          const Group::State& group, const core::AccountId& account);
  eventsourcing::Changed<Membership> change_counted(eventsourcing::CommandSession& session,
                                                    const std::string& group_id,
                                                    const core::AccountId& account,
                                                    bool group_is_private,
                                                    const Membership::Command& command) const;

  crypto::SubjectCipher& cipher_;
  GroupLimits limits_;
};

}  // namespace tideline::social_graph
