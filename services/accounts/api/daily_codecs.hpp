// The events that happen once a campus day at most <-> stored JSON. Throw CodecFailed for data that
// breaks its schema.
#pragma once

#include <optional>

#include "accounts/domain/profile_view.hpp"
#include "accounts/domain/sign_in.hpp"
#include "eventsourcing/codec.hpp"

namespace tideline::accounts {

struct SignInCodec {
  eventsourcing::NewEvent encode(const SignIn::Event& event) const;
  std::optional<SignIn::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

struct ProfileViewCodec {
  eventsourcing::NewEvent encode(const ProfileView::Event& event) const;
  std::optional<ProfileView::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::accounts
