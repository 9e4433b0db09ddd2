// Random histories of everything that visibility depends on, in a world small enough that its
// people keep meeting: as events with streams, versions, logs and positions, as the topics would
// carry them. A history is read off a tape of numbers, so that a shrunk tape is a smaller history.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/keys.hpp"
#include "core/random.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/position_vector.hpp"

namespace tideline::feed::testing {

// Numbers one by one; zeros at the end.
class Tape {
 public:
  explicit Tape(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {}
  bool done() const { return next_ >= numbers_.size(); }
  std::uint32_t below(std::uint32_t bound) { return done() ? 0 : numbers_[next_++] % bound; }

 private:
  std::vector<std::uint32_t> numbers_;
  std::size_t next_ = 0;
};

class History {
 public:
  static constexpr std::uint32_t kPeople = 5;
  static constexpr std::uint32_t kGroups = 2;
  static constexpr std::uint32_t kTags = 4;  // tag i belongs to person i % 2
  static constexpr std::uint32_t kLogs = 3;

  explicit History(const std::vector<std::uint32_t>& numbers) : tape_(numbers) {
    core::SeededRandom random(1);
    for (std::uint32_t i = 0; i < kPeople; ++i) {
      core::AccountId::Bytes bytes{};
      random.fill(bytes);
      people_.emplace_back(bytes);
    }
    for (std::uint32_t i = 0; i < kGroups; ++i) {
      groups_.push_back(core::make_time_ordered_id(time_, random));
    }
    for (std::uint32_t i = 0; i < kTags; ++i) {
      tags_.push_back(core::make_time_ordered_id(time_, random));
    }
    while (!tape_.done()) step();
  }

  const std::vector<core::AccountId>& people() const { return people_; }
  const std::vector<core::MomentId>& moments() const { return moments_; }
  const std::vector<std::string>& groups() const { return groups_; }
  const std::vector<eventsourcing::RecordedEvent>& events() const { return events_; }

  // The same events in another interleaving of the logs, as `tape` chooses the next log.
  std::vector<eventsourcing::RecordedEvent> interleaved(Tape tape) const {
    std::map<std::pair<std::string, std::uint32_t>, std::deque<eventsourcing::RecordedEvent>> logs;
    for (const auto& event : events_) logs[{event.source, event.log.value()}].push_back(event);
    std::vector<eventsourcing::RecordedEvent> order;
    while (!logs.empty()) {
      auto log = logs.begin();
      std::advance(log, tape.below(static_cast<std::uint32_t>(logs.size())));
      // Runs of several events, as a poll brings them.
      for (std::uint32_t run = 1 + tape.below(4); run > 0 && !log->second.empty(); --run) {
        order.push_back(std::move(log->second.front()));
        log->second.pop_front();
      }
      if (log->second.empty()) logs.erase(log);
    }
    return order;
  }

 private:
  using Json = nlohmann::json;

  void step() {
    time_ += std::chrono::milliseconds(1);
    switch (tape_.below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return toggle_contact();
      case 4:
      case 5:
        return toggle_follow();
      case 6:
      case 7:
        return change_setting();
      case 8:
      case 9:
        return toggle_tagged();
      case 10:
      case 11:
        return toggle_member();
      case 12:
        return end_something();
      case 13:
        return delete_moment();
      default:
        return publish();
    }
  }

  std::pair<std::uint32_t, std::uint32_t> two_people() {
    const std::uint32_t one = tape_.below(kPeople);
    return {one, (one + 1 + tape_.below(kPeople - 1)) % kPeople};
  }
  std::string name(std::uint32_t person) const { return people_[person].to_string(); }

  void toggle_contact() {
    const auto [a, b] = two_people();
    const auto stream = core::keys::contact(people_[a], people_[b]);
    const bool end_it = tape_.below(3) == 0;
    if (last_type(stream) == "ContactAccepted") {
      if (!end_it) return;
      record("social-graph", stream, "ContactRemoved", {{"by", name(a)}, {"other", name(b)}});
    } else {
      record("social-graph", stream, "ContactRequested", {{"from", name(a)}, {"to", name(b)}});
      record("social-graph", stream, "ContactAccepted",
             {{"from", name(a)}, {"to", name(b)}, {"first", true}});
    }
  }

  void toggle_follow() {
    const auto [a, b] = two_people();
    const auto stream = core::keys::follow(people_[a], people_[b]);
    record("social-graph", stream, last_type(stream) == "Followed" ? "Unfollowed" : "Followed",
           {{"follower", name(a)}, {"followee", name(b)}});
  }

  void change_setting() {
    const auto [a, b] = two_people();
    const std::uint32_t bits = tape_.below(4);
    record("social-graph", core::keys::exclusion(people_[a], people_[b]), "MomentSettingChanged",
           {{"owner", name(a)},
            {"other", name(b)},
            {"hides_other", (bits & 1) != 0},
            {"hidden_from_other", (bits & 2) != 0}});
  }

  void toggle_tagged() {
    const std::uint32_t tag = tape_.below(kTags);
    const std::uint32_t owner = tag % 2;
    const std::uint32_t person = (owner + 1 + tape_.below(kPeople - 1)) % kPeople;
    const auto stream = core::keys::tagged(tags_[tag], people_[person]);
    record("social-graph", stream,
           last_type(stream) == "ContactTagged" ? "ContactUntagged" : "ContactTagged",
           {{"owner", name(owner)}, {"tag_id", tags_[tag]}, {"account_id", name(person)}});
  }

  void toggle_member() {
    const std::uint32_t group = tape_.below(kGroups);
    const std::uint32_t person = tape_.below(kPeople);
    const auto stream = core::keys::member(groups_[group], people_[person]);
    record("social-graph", stream, last_type(stream) == "GroupJoined" ? "GroupLeft" : "GroupJoined",
           {{"group_id", groups_[group]}, {"account_id", name(person)}});
  }

  void end_something() {
    switch (tape_.below(4)) {
      case 0:
      case 1: {
        const std::uint32_t tag = tape_.below(kTags);
        const auto stream = core::keys::tag(tags_[tag]);
        if (last_type(stream) == "TagDeleted") return;
        record("social-graph", stream, "TagDeleted",
               {{"owner", name(tag % 2)}, {"tag_id", tags_[tag]}});
        return;
      }
      case 2: {
        const std::string& group = groups_[tape_.below(kGroups)];
        const auto stream = core::keys::group(group);
        if (last_type(stream) == "GroupDissolved") return;
        record("social-graph", stream, "GroupDissolved", {{"group_id", group}});
        return;
      }
      default: {
        const std::uint32_t person = tape_.below(kPeople);
        const auto stream = core::keys::account(people_[person]);
        if (last_type(stream) == "AccountClosed") return;
        record("accounts", stream, "AccountClosed",
               {{"account_id", name(person)}, {"closed_at", core::format_iso8601(time_)}});
      }
    }
  }

  void publish() {
    static constexpr const char* kAudiences[] = {
        "public",           "private",          "public",         "partly-visible",
        "partly-invisible", "partly-invisible", "partly-visible", "partly-invisible"};
    // The owners of tags write most.
    const std::uint32_t author = tape_.below(4) < 3 ? tape_.below(2) : tape_.below(kPeople);
    const std::string audience = kAudiences[tape_.below(8)];
    Json groups = Json::array(), tags = Json::array(), users = Json::array();
    if (audience.starts_with("partly")) {
      const std::uint32_t which = tape_.below(8);
      if (which & 1) groups.push_back(groups_[tape_.below(kGroups)]);
      // Sometimes a tag of somebody else: it names nobody.
      if (which & 2)
        tags.push_back(tags_[(author % 2 + tape_.below(2) * 2 + tape_.below(9) / 8) % kTags]);
      if (which & 4) users.push_back(name(tape_.below(kPeople)));
    }
    // Clocks of two processes differ: a later moment can have a smaller id.
    const auto at = time_ - std::chrono::milliseconds(tape_.below(6));
    const auto id = core::make_moment_id(at, people_[author], ++sequence_);
    const bool with_token = tape_.below(3) == 0;
    moments_.push_back(id);
    authors_.push_back(author);
    record("feed", core::keys::moment(id), "MomentPublished",
           {{"moment_id", core::to_string(id)},
            {"author", name(author)},
            {"audience", audience},
            {"group_ids", groups},
            {"tag_ids", tags},
            {"user_ids", users},
            {"content", "1.sealed"},
            {"images", Json::array()},
            {"published_at", core::format_iso8601(at)},
            {"seen", with_token ? positions_.to_token() : ""}});
  }

  void delete_moment() {
    if (moments_.empty()) return;
    const std::size_t which = tape_.below(static_cast<std::uint32_t>(moments_.size()));
    const auto stream = core::keys::moment(moments_[which]);
    if (last_type(stream) == "MomentDeleted") return;
    record("feed", stream, "MomentDeleted",
           {{"moment_id", core::to_string(moments_[which])}, {"author", name(authors_[which])}});
  }

  std::string last_type(const core::StreamId& stream) const {
    const auto found = streams_.find(stream.value());
    return found == streams_.end() ? "" : found->second.type;
  }

  void record(const char* source, const core::StreamId& stream, const char* type,
              const Json& data) {
    auto& known = streams_[stream.value()];
    known.type = type;
    eventsourcing::RecordedEvent event;
    event.id = std::to_string(events_.size());
    event.source = source;
    event.type = type;
    event.stream = stream;
    event.version = core::StreamVersion(++known.version);
    event.log = core::log_of(stream.value(), kLogs);
    const auto last = positions_.at(source, event.log).value();
    event.position = core::LogPosition(last + 1);
    event.time = time_;
    event.data = data.dump();
    positions_.raise(source, event.log, event.position);
    events_.push_back(std::move(event));
  }

  struct Known {
    std::string type;
    std::uint64_t version = 0;
  };

  Tape tape_;
  core::Timestamp time_{std::chrono::milliseconds(1'800'000'000'000)};
  std::uint32_t sequence_ = 0;
  std::vector<core::AccountId> people_;
  std::vector<std::string> groups_;
  std::vector<std::string> tags_;
  std::vector<core::MomentId> moments_;
  std::vector<std::uint32_t> authors_;
  std::map<std::string, Known> streams_;
  eventsourcing::PositionVector positions_;
  std::vector<eventsourcing::RecordedEvent> events_;
};

}  // namespace tideline::feed::testing
