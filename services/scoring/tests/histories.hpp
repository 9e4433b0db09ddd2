// Events of all services as scoring receives them, made from a few people and projects, at times
// around a few midnights.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::scoring {

inline core::AccountId account_with(std::uint8_t number) {
  core::AccountId::Bytes bytes{};
  bytes.front() = static_cast<std::uint8_t>(number * 37);
  bytes.back() = number;
  return core::AccountId(bytes);
}

inline core::Timestamp at(const char* text) { return core::parse_iso8601(text).value(); }

// A campus so many hours ahead of UTC.
class ShiftedCalendar final : public core::CampusCalendar {
 public:
  explicit ShiftedCalendar(std::chrono::hours ahead) : ahead_(ahead) {}
  core::Day day_of(core::Timestamp time) const override { return core::utc_day(time + ahead_); }

 private:
  const std::chrono::hours ahead_;
};

// Positions are given out in the order of making, in one log.
class EventMaker {
 public:
  eventsourcing::RecordedEvent make(std::string source, std::string type, core::Timestamp time,
                                    const nlohmann::json& data) {
    eventsourcing::RecordedEvent event;
    event.id = "event-" + std::to_string(++made_);
    event.source = std::move(source);
    event.type = std::move(type);
    event.stream = core::StreamId("stream-" + std::to_string(made_));
    event.version = core::StreamVersion(1);
    event.position = core::LogPosition(made_);
    event.time = time;
    event.data = data.dump();
    return event;
  }

  eventsourcing::RecordedEvent registered(std::uint8_t who, core::Timestamp time) {
    return make("accounts", "AccountRegistered", time, {{"account_id", name(who)}});
  }
  eventsourcing::RecordedEvent closed(std::uint8_t who, core::Timestamp time) {
    return make("accounts", "AccountClosed", time, {{"account_id", name(who)}});
  }
  eventsourcing::RecordedEvent signed_in(std::uint8_t who, core::Timestamp time) {
    return make("accounts", "SignedIn", time, {{"account_id", name(who)}, {"day", "2026-01-01"}});
  }
  eventsourcing::RecordedEvent viewed(std::uint8_t owner, core::Timestamp time) {
    return make("accounts", "ProfileViewed", time,
                {{"viewer", name(99)}, {"owner", name(owner)}, {"day", "2026-01-01"}});
  }
  eventsourcing::RecordedEvent contact(std::uint8_t from, std::uint8_t to, bool first,
                                       core::Timestamp time) {
    return make("social-graph", "ContactAccepted", time,
                {{"from", name(from)}, {"to", name(to)}, {"first", first}});
  }
  eventsourcing::RecordedEvent followed(std::uint8_t follower, std::uint8_t followee, bool first,
                                        core::Timestamp time) {
    return make("social-graph", "Followed", time,
                {{"follower", name(follower)}, {"followee", name(followee)}, {"first", first}});
  }
  eventsourcing::RecordedEvent published(std::uint8_t author, core::Timestamp time) {
    return make("projects", "ProjectCreated", time,
                {{"project_id", kProject}, {"author", name(author)}});
  }
  eventsourcing::RecordedEvent edited(std::uint8_t author, core::Timestamp time) {
    return make("projects", "ProjectEdited", time,
                {{"project_id", kProject}, {"author", name(author)}});
  }
  eventsourcing::RecordedEvent commented(std::uint8_t author, core::Timestamp time) {
    return make("projects", "CommentAdded", time,
                {{"project_id", kProject}, {"author", name(author)}});
  }
  eventsourcing::RecordedEvent adopted(std::uint8_t adviser, core::Timestamp time) {
    return make("projects", "AdviceAdopted", time,
                {{"project_id", kProject}, {"adviser", name(adviser)}});
  }
  eventsourcing::RecordedEvent voted(std::uint8_t author, std::uint8_t voter, bool first,
                                     core::Timestamp time) {
    return make("projects", "VoteCast", time,
                {{"project_id", kProject},
                 {"project_author", name(author)},
                 {"voter", name(voter)},
                 {"first", first}});
  }
  eventsourcing::RecordedEvent adjusted(std::uint8_t who, std::int64_t delta,
                                        core::Timestamp time) {
    return make(
        "scoring", "PointsAdjusted", time,
        {{"account_id", name(who)}, {"delta", delta}, {"reason", "why"}, {"operator", name(98)}});
  }

 private:
  static constexpr const char* kProject = "00000000000000000000000000";

  static std::string name(std::uint8_t who) { return account_with(who).to_string(); }

  std::uint64_t made_ = 0;
};

}  // namespace tideline::scoring
