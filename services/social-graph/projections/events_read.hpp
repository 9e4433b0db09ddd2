// This service's events as its own readers understand them: the fields that it uses, whatever else
// the data holds. Names of tags and groups stay sealed here (see api/sealed_name.hpp).
//
// Pure functions. nullopt: not an event of that aggregate. They throw PoisonEvent for data that
// breaks its schema.
#pragma once

#include <optional>

#include "eventsourcing/event.hpp"
#include "eventsourcing/projection.hpp"
#include "social-graph/domain/contact_count.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/group.hpp"
#include "social-graph/domain/member_count.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/domain/moment_setting.hpp"
#include "social-graph/domain/tag.hpp"
#include "social-graph/domain/tagging.hpp"

namespace tideline::social_graph {

template <eventsourcing::Decider D>
std::optional<typename D::Event> read_event(const eventsourcing::RecordedEvent& recorded);

template <>
std::optional<ContactPair::Event> read_event<ContactPair>(
    const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<ContactCount::Event> read_event<ContactCount>(
    const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<Follow::Event> read_event<Follow>(const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<Tag::Event> read_event<Tag>(const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<Tagging::Event> read_event<Tagging>(const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<MomentSetting::Event> read_event<MomentSetting>(
    const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<Group::Event> read_event<Group>(const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<Membership::Event> read_event<Membership>(
    const eventsourcing::RecordedEvent& recorded);
template <>
std::optional<MemberCount::Event> read_event<MemberCount>(
    const eventsourcing::RecordedEvent& recorded);

}  // namespace tideline::social_graph
