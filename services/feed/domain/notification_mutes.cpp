#include "feed/domain/notification_mutes.hpp"

#include <algorithm>

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

template <class Value>
void keep_each_once(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool mute_the_same(const NotificationsMuted& one, const NotificationsMuted& other) {
  return one.kinds == other.kinds && one.persons == other.persons && one.moments == other.moments;
}

}  // namespace

NotificationMutes::State NotificationMutes::evolve(State state, const Event& event) {
  state.mutes = std::get<NotificationsMuted>(event);
  return state;
}

Decision<NotificationMutes::Event> NotificationMutes::decide(const State& state,
                                                             const Command& command) {
  NotificationsMuted mutes = std::get<MuteNotifications>(command).mutes;
  keep_each_once(mutes.kinds);
  keep_each_once(mutes.persons);
  keep_each_once(mutes.moments);
  if (mutes.persons.size() > kPersonsMax || mutes.moments.size() > kMomentsMax) {
    return Rejection{RejectionKind::Invalid, "too-many-mutes",
                     "at most 250 people and 250 moments are muted"};
  }
  if (mute_the_same(mutes, state.mutes)) return Decision<Event>::nothing();
  return Decision<Event>::of(std::move(mutes));
}

}  // namespace tideline::feed
