// Events of groups, memberships and counts of members, as they are stored: the name of a group
// sealed under its creator's key. Thread-safe; GroupCodec can block on the keys.
#pragma once

#include <optional>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/event.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/member_count.hpp"
#include "social-graph/domain/membership.hpp"

namespace tideline::social_graph {

class GroupCodec {
 public:
  explicit GroupCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}
  eventsourcing::NewEvent encode(const Group::Event& event) const;
  std::optional<Group::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

struct MembershipCodec {
  eventsourcing::NewEvent encode(const Membership::Event& event) const;
  std::optional<Membership::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

struct MemberCountCodec {
  eventsourcing::NewEvent encode(const MemberCount::Event& event) const;
  std::optional<MemberCount::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::social_graph
