#include "accounts/projections/events_read.hpp"
#include "eventsourcing/event_data.hpp"

namespace tideline::accounts {

using eventsourcing::EventData;
std::optional<AccountEventRead> read_account_event(const eventsourcing::RecordedEvent& recorded) {
  if (recorded.type == "AccountRegistered") {
    const EventData data(recorded);
    return RegistrationRead{data.account("account_id"), data.text("profile"),
                            data.time("registered_at")};
  }
  if (recorded.type == "ProfileChanged") {
    const EventData data(recorded);
    return ProfileChangeRead{data.account("account_id"), data.text("profile")};
  }
  if (recorded.type == "AccountClosed") {
    return ClosingRead{EventData(recorded).account("account_id")};
  }
  return std::nullopt;
}

std::optional<ProjectRead> read_project_created(const eventsourcing::RecordedEvent& recorded) {
  if (recorded.type != "ProjectCreated") return std::nullopt;
  const EventData data(recorded);
  return ProjectRead{data.id("project_id"), data.account("author")};
}

}  // namespace tideline::accounts
