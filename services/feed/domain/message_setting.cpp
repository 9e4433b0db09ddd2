#include "feed/domain/message_setting.hpp"

namespace tideline::feed {

using eventsourcing::Decision;

MessageSetting::State MessageSetting::evolve(State state, const Event& event) {
  state.contacts_only = std::get<MessageSettingChanged>(event).contacts_only;
  return state;
}

Decision<MessageSetting::Event> MessageSetting::decide(const State& state, const Command& command) {
  const auto& wanted = std::get<ChangeMessageSetting>(command);
  if (state.contacts_only == wanted.contacts_only) return Decision<Event>::nothing();
  return Decision<Event>::of(MessageSettingChanged{wanted.owner, wanted.contacts_only});
}

}  // namespace tideline::feed
