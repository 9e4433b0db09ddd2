// What every timeline must be, by brute force: each question scans the last events of all streams
// that have been delivered, and the timeline is the sentence of the design's section 8, word for
// word. Shares nothing with the engine but the names of events and streams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/keys.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/position_vector.hpp"

namespace tideline::feed::testing {

class Oracle {
 public:
  using Account = core::AccountId;

  void deliver(const eventsourcing::RecordedEvent& event) {
    last_[event.stream.value()] = {event.type, nlohmann::json::parse(event.data)};
    delivered_.raise(event.source, event.log, event.position);
  }

  const eventsourcing::PositionVector& delivered() const { return delivered_; }

  // Newest first.
  std::vector<std::uint64_t> timeline(const Account& viewer) const {
    return select([&](const nlohmann::json& moment) { return belongs_on(viewer, moment); });
  }

  std::vector<std::uint64_t> moments_of(const Account& author, const Account& viewer) const {
    return select([&](const nlohmann::json& moment) {
      return account(moment, "author") == author && shown_to(viewer, moment);
    });
  }

  bool shows(std::uint64_t id, const Account& viewer) const {
    return !select([&](const nlohmann::json& moment) {
              return moment["moment_id"] == std::to_string(id) && shown_to(viewer, moment);
            }).empty();
  }

 private:
  struct Last {
    std::string type;
    nlohmann::json data;
  };

  static Account account(const nlohmann::json& data, const char* field) {
    return *Account::parse(data[field].get<std::string>());
  }
  bool last_is(const core::StreamId& stream, const char* type) const {
    const auto found = last_.find(stream.value());
    return found != last_.end() && found->second.type == type;
  }
  bool set(const core::StreamId& stream, const char* flag) const {
    const auto found = last_.find(stream.value());
    return found != last_.end() && found->second.data[flag].get<bool>();
  }

  bool contacts(const Account& one, const Account& other) const {
    return one != other && last_is(core::keys::contact(one, other), "ContactAccepted");
  }
  bool follows(const Account& one, const Account& other) const {
    return last_is(core::keys::follow(one, other), "Followed");
  }
  bool closed(const Account& who) const {
    return last_is(core::keys::account(who), "AccountClosed");
  }
  // The author does not let the viewer see his moments.
  bool kept_from(const Account& author, const Account& viewer) const {
    return set(core::keys::exclusion(author, viewer), "hidden_from_other");
  }
  bool tuned_out(const Account& viewer, const Account& author) const {
    return set(core::keys::exclusion(viewer, author), "hides_other");
  }

  bool in_lists(const Account& viewer, const nlohmann::json& moment) const {
    for (const std::string user : moment["user_ids"]) {
      if (user == viewer.to_string()) return true;
    }
    for (const std::string tag : moment["tag_ids"]) {
      const auto tagged = last_.find(core::keys::tagged(tag, viewer).value());
      if (tagged != last_.end() && tagged->second.type == "ContactTagged" &&
          tagged->second.data["owner"] == moment["author"] &&
          !last_is(core::keys::tag(tag), "TagDeleted")) {
        return true;
      }
    }
    for (const std::string group : moment["group_ids"]) {
      if (last_is(core::keys::member(group, viewer), "GroupJoined") &&
          !last_is(core::keys::group(group), "GroupDissolved")) {
        return true;
      }
    }
    return false;
  }

  // "... those that are public, or partly-visible with the viewer in its users, tagged by the
  // author with one of its tags, or a member of one of its groups, or partly-invisible with none of
  // these"
  bool open_to_contact(const Account& viewer, const nlohmann::json& moment) const {
    const std::string audience = moment["audience"];
    return audience == "public" || (audience == "partly-visible" && in_lists(viewer, moment)) ||
           (audience == "partly-invisible" && !in_lists(viewer, moment));
  }

  bool readable_now(const Account& viewer, const nlohmann::json& moment) const {
    const Account author = account(moment, "author");
    if (closed(author)) return false;
    if (viewer == author) return true;
    const auto seen = eventsourcing::PositionVector::from_token(moment["seen"].get<std::string>());
    for (const auto& [service, logs] : seen->services()) {
      for (const auto& [log, position] : logs) {
        if (delivered_.at(service, log) < position) return false;
      }
    }
    return true;
  }

  bool belongs_on(const Account& viewer, const nlohmann::json& moment) const {
    const Account author = account(moment, "author");
    if (!readable_now(viewer, moment)) return false;
    if (viewer == author) return true;
    const bool excluded = kept_from(author, viewer) || tuned_out(viewer, author);
    if (contacts(viewer, author)) return !excluded && open_to_contact(viewer, moment);
    return follows(viewer, author) && !excluded && moment["audience"] == "public";
  }

  bool shown_to(const Account& viewer, const nlohmann::json& moment) const {
    const Account author = account(moment, "author");
    if (!readable_now(viewer, moment)) return false;
    if (viewer == author) return true;
    if (kept_from(author, viewer)) return false;
    if (contacts(viewer, author)) return open_to_contact(viewer, moment);
    return moment["audience"] == "public";
  }

  std::vector<std::uint64_t> select(
      const std::function<bool(const nlohmann::json& moment)>& wanted) const {
    std::vector<std::uint64_t> ids;
    for (const auto& [stream, last] : last_) {
      if (last.type == "MomentPublished" && wanted(last.data)) {
        ids.push_back(std::stoull(last.data["moment_id"].get<std::string>()));
      }
    }
    std::sort(ids.rbegin(), ids.rend());
    return ids;
  }

  std::map<std::string, Last> last_;
  eventsourcing::PositionVector delivered_;
};

}  // namespace tideline::feed::testing
