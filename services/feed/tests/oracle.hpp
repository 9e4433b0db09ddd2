// What every timeline must be, by brute force: relations as plain sets, and for each question a
// scan of all moments under the sentence of the design's section 8, word for word. Shares nothing
// with the engine but the names of events. tests/integration/oracle.sql says the same once more as
// SQL.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"
#include "eventsourcing/event.hpp"
#include "eventsourcing/position_vector.hpp"

namespace tideline::feed::testing {

class Oracle {
 public:
  using Ids = std::vector<std::uint64_t>;

  // Each event once, those of one log in its order.
  void deliver(const eventsourcing::RecordedEvent& event) {
    take(event.type, nlohmann::json::parse(event.data));
    delivered_.raise(event.source, event.log, event.position);
  }

  const eventsourcing::PositionVector& delivered() const { return delivered_; }

  // Newest first.
  Ids timeline(const core::AccountId& viewer) const {
    const int who = find(viewer.to_string());
    return select([&](const Moment& moment) { return belongs_on(who, moment); });
  }
  // Whatever the viewer may meet, on its author's page or by id.
  Ids shown_to(const core::AccountId& viewer) const {
    const int who = find(viewer.to_string());
    return select([&](const Moment& moment) { return shows(who, moment); });
  }
  Ids moments_of(const core::AccountId& author, const core::AccountId& viewer) const {
    const int by = find(author.to_string());
    const int who = find(viewer.to_string());
    return select([&](const Moment& moment) { return moment.author == by && shows(who, moment); });
  }

 private:
  using Relation = std::set<std::pair<int, int>>;
  struct Moment {
    std::uint64_t id;
    int author;
    std::string audience;
    std::set<int> users, tags, groups;
    eventsourcing::PositionVector seen;
  };

  // People, tags and groups by numbers, as they come.
  int number(const std::string& name) {
    return numbers_.emplace(name, static_cast<int>(numbers_.size())).first->second;
  }
  int find(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }

  static void set(Relation& relation, int one, int other, bool are) {
    if (are) {
      relation.emplace(one, other);
    } else {
      relation.erase({one, other});
    }
  }

  void take(const std::string& type, const nlohmann::json& data) {
    const auto the = [&](const char* field) { return number(data.at(field).get<std::string>()); };
    if (type == "ContactAccepted" || type == "ContactRemoved") {
      const bool are = type == "ContactAccepted";
      const int one = are ? the("from") : the("by");
      const int other = are ? the("to") : the("other");
      set(contacts_, one, other, are);
      set(contacts_, other, one, are);
    } else if (type == "Followed" || type == "Unfollowed") {
      set(follows_, the("follower"), the("followee"), type == "Followed");
    } else if (type == "MomentSettingChanged") {
      set(tunes_out_, the("owner"), the("other"), data["hides_other"]);
      set(keeps_out_, the("owner"), the("other"), data["hidden_from_other"]);
    } else if (type == "ContactTagged" || type == "ContactUntagged") {
      tag_owners_[the("tag_id")] = the("owner");
      set(tagged_, the("tag_id"), the("account_id"), type == "ContactTagged");
    } else if (type == "GroupJoined" || type == "GroupLeft") {
      set(members_, the("group_id"), the("account_id"), type == "GroupJoined");
    } else if (type == "TagDeleted") {
      ended_.insert(the("tag_id"));
    } else if (type == "GroupDissolved") {
      ended_.insert(the("group_id"));
    } else if (type == "AccountClosed") {
      ended_.insert(the("account_id"));
    } else if (type == "MomentDeleted") {
      const auto id = std::stoull(data["moment_id"].get<std::string>());
      std::erase_if(moments_, [&](const Moment& moment) { return moment.id == id; });
    } else if (type == "MomentPublished") {
      add_moment(data);
    }
  }

  void add_moment(const nlohmann::json& data) {
    const auto all = [&](const char* field) {
      std::set<int> named;
      for (const std::string name : data[field]) named.insert(number(name));
      return named;
    };
    moments_.push_back(
        {std::stoull(data["moment_id"].get<std::string>()), number(data["author"]),
         data["audience"], all("user_ids"), all("tag_ids"), all("group_ids"),
         *eventsourcing::PositionVector::from_token(data["seen"].get<std::string>())});
  }

  bool contacts(int one, int other) const { return contacts_.contains({one, other}); }

  // Users, tags that the author himself has put on the viewer, groups that the viewer is in.
  bool in_lists(int viewer, const Moment& moment) const {
    if (moment.users.contains(viewer)) return true;
    for (const int tag : moment.tags) {
      const auto owner = tag_owners_.find(tag);
      if (tagged_.contains({tag, viewer}) && owner->second == moment.author &&
          !ended_.contains(tag)) {
        return true;
      }
    }
    for (const int group : moment.groups) {
      if (members_.contains({group, viewer}) && !ended_.contains(group)) return true;
    }
    return false;
  }

  // "... those that are public, or partly-visible with the viewer in its users, tagged by the
  // author with one of its tags, or a member of one of its groups, or partly-invisible with none of
  // these"
  bool open_to_contact(int viewer, const Moment& moment) const {
    if (moment.audience == "public") return true;
    if (moment.audience == "partly-visible") return in_lists(viewer, moment);
    return moment.audience == "partly-invisible" && !in_lists(viewer, moment);
  }

  // Nothing of a closed account; nothing before what its author had seen is here.
  bool readable_now(int viewer, const Moment& moment) const {
    if (ended_.contains(moment.author)) return false;
    if (viewer == moment.author) return true;
    for (const auto& [service, logs] : moment.seen.services()) {
      for (const auto& [log, position] : logs) {
        if (delivered_.at(service, log) < position) return false;
      }
    }
    return true;
  }

  bool belongs_on(int viewer, const Moment& moment) const {
    if (!readable_now(viewer, moment)) return false;
    if (viewer == moment.author) return true;
    if (keeps_out_.contains({moment.author, viewer})) return false;
    if (tunes_out_.contains({viewer, moment.author})) return false;
    if (contacts(viewer, moment.author)) return open_to_contact(viewer, moment);
    return follows_.contains({viewer, moment.author}) && moment.audience == "public";
  }

  bool shows(int viewer, const Moment& moment) const {
    if (!readable_now(viewer, moment)) return false;
    if (viewer == moment.author) return true;
    if (keeps_out_.contains({moment.author, viewer})) return false;
    if (contacts(viewer, moment.author)) return open_to_contact(viewer, moment);
    return moment.audience == "public";
  }

  template <class Wanted>
  Ids select(const Wanted& wanted) const {
    Ids ids;
    for (const Moment& moment : moments_) {
      if (wanted(moment)) ids.push_back(moment.id);
    }
    std::sort(ids.rbegin(), ids.rend());
    return ids;
  }

  std::map<std::string, int> numbers_;
  Relation contacts_;    // both ways
  Relation follows_;     // follower, followee
  Relation tunes_out_;   // the first does not want to see the second
  Relation keeps_out_;   // the first does not want to be seen by the second
  Relation tagged_;      // tag, person
  Relation members_;     // group, person
  std::set<int> ended_;  // tags, groups and accounts
  std::map<int, int> tag_owners_;
  std::vector<Moment> moments_;
  eventsourcing::PositionVector delivered_;
};

}  // namespace tideline::feed::testing
