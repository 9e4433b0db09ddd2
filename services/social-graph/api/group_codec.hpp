// Events of groups, memberships and counts of members, as they are stored: the name of a group
// sealed under its creator's key. Thread-safe; GroupCodec can block on the keys.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/event.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/member_count.hpp"
#include "social-graph/domain/membership.hpp"

namespace tideline::social_graph {

class GroupCodec {
 public:
  // `seen` by the writer of what is encoded.
  explicit GroupCodec(crypto::SubjectCipher& cipher, std::string seen = "")
      : cipher_(cipher), seen_(std::move(seen)) {}
  eventsourcing::NewEvent encode(const Group::Event& event) const;
  std::optional<Group::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
  const std::string seen_;
};

struct MembershipCodec {
  eventsourcing::NewEvent encode(const Membership::Event& event) const;
  std::optional<Membership::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

  std::string seen{};  // by the writer of what is encoded
};

struct MemberCountCodec {
  eventsourcing::NewEvent encode(const MemberCount::Event& event) const;
  std::optional<MemberCount::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::social_graph
