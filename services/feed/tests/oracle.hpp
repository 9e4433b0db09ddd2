// What every timeline must be, and what everybody meets under each moment, by brute force:
// relations as plain sets, and for each question a scan of everything under the sentence of the
// design's section 8, word for word. Shares nothing with the engine but the names of events.
// What may show somebody something is unconfirmed until all that its writer had seen is here, and
// of two answers the one that shows less is right then. tests/integration/oracle.sql says the same
// once more as SQL.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "eventsourcing/events/position_vector.hpp"

namespace tideline::feed::testing {

class Oracle {
 public:
  using Ids = std::vector<std::uint64_t>;

  // Each event once, those of one log in its order.
  void deliver(const eventsourcing::RecordedEvent& event) {
    auto data = nlohmann::json::parse(event.data);
    if (!data.contains("seen")) data["seen"] = event.metadata.seen;
    take(event.type, data);
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

  // "2026-01": the months (UTC) of the author's moments that the viewer is shown, newest first.
  std::vector<std::string> months_of(const core::AccountId& author,
                                     const core::AccountId& viewer) const {
    std::set<std::string, std::greater<>> months;
    for (const std::uint64_t id : moments_of(author, viewer)) months.insert(month_of(id));
    return {months.begin(), months.end()};
  }
  static std::string month_of(std::uint64_t id) {
    const core::Timestamp time{std::chrono::milliseconds(id >> 22)};
    return core::format_iso8601(time).substr(0, 7);
  }

  // Entries of others on his timeline that he has not seen.
  std::size_t unread(const core::AccountId& viewer) const {
    const int who = find(viewer.to_string());
    const auto seen = seen_.find(who);
    return select([&](const Moment& moment) {
             return belongs_on(who, moment) && moment.author != who &&
                    (seen == seen_.end() || moment.id > seen->second);
           })
        .size();
  }

  // What a viewer meets under a moment that he may see: the likes and comments of himself, of the
  // moment's author and of his contacts.
  struct Met {
    std::set<std::string> likers;
    std::map<std::uint64_t, std::uint64_t> comments;  // id -> id of the parent if he meets it, or 0
    std::set<std::uint64_t> hidden_comments;          // of the viewer's own
    unsigned edits = 0;
    bool liked = false;
    bool bookmarked = false;
    bool hidden = false;  // from all but the viewer
  };
  std::map<std::uint64_t, Met> met_by(const core::AccountId& viewer) const {
    const int who = find(viewer.to_string());
    std::map<std::uint64_t, Met> all;
    for (const Moment& moment : moments_) {
      if (shows(who, moment)) all.emplace(moment.id, met_under(moment, who));
    }
    return all;
  }

 private:
  using Relation = std::set<std::pair<int, int>>;
  struct Audience {
    std::string name;
    std::set<int> users, tags, groups;
    eventsourcing::PositionVector seen;  // by who chose it
  };
  // By a moderator, until it is restored and what the restorer had seen is here.
  struct Hiding {
    bool hidden = false;
    eventsourcing::PositionVector seen{};
  };
  struct Moment {
    std::uint64_t id;
    int author;
    std::vector<Audience> audiences;  // the latest is the last one
    Hiding hiding{};
  };
  struct Remark {
    std::uint64_t id, parent;
    int writer;
    eventsourcing::PositionVector seen;
    Hiding hiding{};
  };

  // People, tags and groups by numbers, as they come.
  int number(const std::string& name) {
    const auto [entry, is_new] = numbers_.emplace(name, static_cast<int>(names_.size()));
    if (is_new) names_.push_back(name);
    return entry->second;
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
      if (are) mark_unconfirmed("contacts", std::min(one, other), std::max(one, other), data);
    } else if (type == "Followed" || type == "Unfollowed") {
      set(follows_, the("follower"), the("followee"), type == "Followed");
      if (type == "Followed") mark_unconfirmed("follows", the("follower"), the("followee"), data);
    } else if (type == "MomentSettingChanged") {
      const std::pair pair(the("owner"), the("other"));
      if (tunes_out_.contains(pair) && !data["hides_other"]) {
        mark_unconfirmed("tunes out", pair.first, pair.second, data);
      }
      if (keeps_out_.contains(pair) && !data["hidden_from_other"]) {
        mark_unconfirmed("keeps out", pair.first, pair.second, data);
      }
      set(tunes_out_, pair.first, pair.second, data["hides_other"]);
      set(keeps_out_, pair.first, pair.second, data["hidden_from_other"]);
    } else if (type == "PersonBlocked" || type == "PersonUnblocked") {
      const std::pair pair(the("by"), the("other"));
      if (blocks_.contains(pair) && type == "PersonUnblocked") {
        mark_unconfirmed("blocks", pair.first, pair.second, data);
      }
      set(blocks_, pair.first, pair.second, type == "PersonBlocked");
    } else if (type == "ContactTagged" || type == "ContactUntagged") {
      tag_owners_[the("tag_id")] = the("owner");
      set(tagged_, the("tag_id"), the("account_id"), type == "ContactTagged");
      mark_unconfirmed("listed", the("tag_id"), the("account_id"), data);
    } else if (type == "GroupJoined" || type == "GroupLeft" || type == "GroupMemberRemoved") {
      set(members_, the("group_id"), the("account_id"), type == "GroupJoined");
      mark_unconfirmed("listed", the("group_id"), the("account_id"), data);
    } else if (type == "TagDeleted") {
      ended_.insert(the("tag_id"));
      mark_unconfirmed("ended", the("tag_id"), 0, data);
    } else if (type == "GroupDissolved") {
      ended_.insert(the("group_id"));
      mark_unconfirmed("ended", the("group_id"), 0, data);
    } else if (type == "AccountClosed") {
      ended_.insert(the("account_id"));
    } else if (type == "MomentDeleted") {
      const auto id = std::stoull(data["moment_id"].get<std::string>());
      std::erase_if(moments_, [&](const Moment& moment) { return moment.id == id; });
    } else if (type == "MomentPublished") {
      moments_.push_back({std::stoull(data["moment_id"].get<std::string>()),
                          number(data["author"]),
                          {audience_in(data)}});
    } else if (type == "MomentAudienceChanged") {
      const auto id = std::stoull(data["moment_id"].get<std::string>());
      for (Moment& moment : moments_) {
        if (moment.id == id) moment.audiences.push_back(audience_in(data));
      }
    } else if (type == "MomentHidden" || type == "MomentRestored") {
      const auto id = std::stoull(data["moment_id"].get<std::string>());
      for (Moment& moment : moments_) {
        if (moment.id == id) moment.hiding = hiding_in(type == "MomentHidden", data);
      }
    } else {
      take_interaction(type, data);
    }
  }

  void take_interaction(const std::string& type, const nlohmann::json& data) {
    const auto id_in = [&](const char* field) {
      return data[field].is_null() ? 0 : std::stoull(data[field].get<std::string>());
    };
    const auto seen = [&] {
      return *eventsourcing::PositionVector::from_token(data["seen"].get<std::string>());
    };
    if (type == "MomentLiked") {
      likes_.emplace(id_in("moment_id"), number(data["account_id"]));
    } else if (type == "MomentUnliked") {
      likes_.erase({id_in("moment_id"), number(data["account_id"])});
    } else if (type == "MomentBookmarked") {
      bookmarks_.emplace(id_in("moment_id"), number(data["owner"]));
    } else if (type == "BookmarkRemoved") {
      bookmarks_.erase({id_in("moment_id"), number(data["owner"])});
    } else if (type == "CommentAdded") {
      remarks_[id_in("moment_id")].push_back(
          {id_in("comment_id"), id_in("parent_id"), number(data["author"]), seen()});
    } else if (type == "CommentDeleted") {
      std::erase_if(remarks_[id_in("moment_id")],
                    [&](const Remark& remark) { return remark.id == id_in("comment_id"); });
    } else if (type == "CommentHidden" || type == "CommentRestored") {
      for (Remark& remark : remarks_[id_in("moment_id")]) {
        if (remark.id == id_in("comment_id")) {
          remark.hiding = hiding_in(type == "CommentHidden", data);
        }
      }
    } else if (type == "MomentEdited") {
      edits_[id_in("moment_id")].push_back(seen());  // numbered from 1 in their order
    } else if (type == "TimelineSeen") {
      seen_[number(data["reader"])] = id_in("up_to");
    }
  }

  static Hiding hiding_in(bool hides, const nlohmann::json& data) {
    return {hides, *eventsourcing::PositionVector::from_token(data["seen"].get<std::string>())};
  }
  bool is_hidden(const Hiding& hiding) const { return hiding.hidden || !is_here(hiding.seen); }

  Audience audience_in(const nlohmann::json& data) {
    const auto all = [&](const char* field) {
      std::set<int> named;
      for (const std::string name : data[field]) named.insert(number(name));
      return named;
    };
    return {data["audience"], all("user_ids"), all("tag_ids"), all("group_ids"),
            *eventsourcing::PositionVector::from_token(data["seen"].get<std::string>())};
  }

  void mark_unconfirmed(const char* what, int one, int other, const nlohmann::json& data) {
    unconfirmed_[{what, one, other}].push_back(
        *eventsourcing::PositionVector::from_token(data.at("seen").get<std::string>()));
  }
  bool is_unconfirmed(const char* what, int one, int other) const {
    const auto found = unconfirmed_.find({what, one, other});
    return found != unconfirmed_.end() &&
           !std::ranges::all_of(found->second, [&](const auto& seen) { return is_here(seen); });
  }

  bool contacts(int one, int other) const {
    return contacts_.contains({one, other}) &&
           !is_unconfirmed("contacts", std::min(one, other), std::max(one, other));
  }
  bool follows(int one, int other) const {
    return follows_.contains({one, other}) && !is_unconfirmed("follows", one, other);
  }
  bool tunes_out(int one, int other) const {
    return tunes_out_.contains({one, other}) || is_unconfirmed("tunes out", one, other);
  }
  bool keeps_out(int one, int other) const {
    return keeps_out_.contains({one, other}) || is_unconfirmed("keeps out", one, other);
  }

  bool apart(int one, int other) const {
    return blocks_.contains({one, other}) || blocks_.contains({other, one}) ||
           is_unconfirmed("blocks", one, other) || is_unconfirmed("blocks", other, one);
  }

  // Users, tags that the author himself has put on the viewer, groups that the viewer is in. What
  // is unconfirmed counts if `unconfirmed` says so.
  bool in_lists(int viewer, int author, const Audience& audience, bool unconfirmed) const {
    if (audience.users.contains(viewer)) return true;
    const auto is_listed = [&](const Relation& listed, int list) {
      const bool ended =
          ended_.contains(list) && !(unconfirmed && is_unconfirmed("ended", list, 0));
      if (is_unconfirmed("listed", list, viewer)) return unconfirmed && !ended;
      return listed.contains({list, viewer}) && !ended;
    };
    for (const int tag : audience.tags) {
      const auto owner = tag_owners_.find(tag);
      if (owner != tag_owners_.end() && owner->second == author && is_listed(tagged_, tag)) {
        return true;
      }
    }
    return std::ranges::any_of(audience.groups,
                               [&](int group) { return is_listed(members_, group); });
  }

  // "... those that are public, or partly-visible with the viewer in its users, tagged by the
  // author with one of its tags, or a member of one of its groups, or partly-invisible with none of
  // these"
  bool open_to_contact(int viewer, int author, const Audience& audience) const {
    if (audience.name == "public") return true;
    if (audience.name == "partly-visible") return in_lists(viewer, author, audience, false);
    return audience.name == "partly-invisible" && !in_lists(viewer, author, audience, true);
  }
  // By the latest audience; and by all before it down to the latest one that is confirmed.
  bool is_open(int viewer, const Moment& moment, bool as_contact) const {
    for (auto one = moment.audiences.rbegin(); one != moment.audiences.rend(); ++one) {
      const bool open =
          as_contact ? open_to_contact(viewer, moment.author, *one) : one->name == "public";
      if (!open) return false;
      if (is_here(one->seen)) return true;
    }
    return true;
  }

  bool is_here(const eventsourcing::PositionVector& seen) const {
    for (const auto& [service, logs] : seen.services()) {
      for (const auto& [log, position] : logs) {
        if (delivered_.at(service, log) < position) return false;
      }
    }
    return true;
  }

  // Nothing of a closed account; nothing before what its author had seen is here.
  bool readable_now(int viewer, const Moment& moment) const {
    if (ended_.contains(moment.author)) return false;
    if (viewer == moment.author) return true;
    return is_here(moment.audiences.front().seen) && !is_hidden(moment.hiding);
  }

  // Himself, the author, his contacts; but nobody who has left.
  std::set<int> known_to(int viewer, const Moment& moment) const {
    std::set<int> known{viewer, moment.author};
    for (const auto& [one, other] : contacts_) {
      if (one == viewer && contacts(one, other)) known.insert(other);
    }
    std::erase_if(known, [&](int person) {
      return ended_.contains(person) || apart(viewer, person) || apart(moment.author, person);
    });
    return known;
  }

  Met met_under(const Moment& moment, int viewer) const {
    const std::set<int> known = known_to(viewer, moment);
    Met met;
    met.hidden = is_hidden(moment.hiding);
    for (const int person : known) {
      if (!likes_.contains({moment.id, person})) continue;
      met.likers.insert(names_[static_cast<std::size_t>(person)]);
      met.liked |= person == viewer;
    }
    met.bookmarked = bookmarks_.contains({moment.id, viewer});
    if (const auto remarks = remarks_.find(moment.id); remarks != remarks_.end()) {
      for (const Remark& remark : remarks->second) {
        if (!known.contains(remark.writer)) continue;
        const bool hidden = is_hidden(remark.hiding);
        if (remark.writer != viewer && (hidden || !is_here(remark.seen))) continue;
        met.comments[remark.id] = remark.parent;
        if (hidden) met.hidden_comments.insert(remark.id);
      }
      for (auto& [id, parent] : met.comments) {
        if (!met.comments.contains(parent)) parent = 0;
      }
    }
    if (const auto edits = edits_.find(moment.id); edits != edits_.end()) {
      for (const auto& seen : edits->second) {
        if (viewer != moment.author && !is_here(seen)) break;
        ++met.edits;
      }
    }
    return met;
  }

  bool belongs_on(int viewer, const Moment& moment) const {
    if (!readable_now(viewer, moment)) return false;
    if (viewer == moment.author) return true;
    if (apart(moment.author, viewer)) return false;
    if (keeps_out(moment.author, viewer) || tunes_out(viewer, moment.author)) return false;
    if (contacts(viewer, moment.author)) return is_open(viewer, moment, true);
    return follows(viewer, moment.author) && is_open(viewer, moment, false);
  }

  bool shows(int viewer, const Moment& moment) const {
    if (!readable_now(viewer, moment)) return false;
    if (viewer == moment.author) return true;
    if (apart(moment.author, viewer) || keeps_out(moment.author, viewer)) return false;
    return is_open(viewer, moment, contacts(viewer, moment.author));
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
  std::vector<std::string> names_;
  Relation contacts_;    // both ways
  Relation follows_;     // follower, followee
  Relation tunes_out_;   // the first does not want to see the second
  Relation keeps_out_;   // the first does not want to be seen by the second
  Relation blocks_;      // the first has blocked the second
  Relation tagged_;      // tag, person
  Relation members_;     // group, person
  std::set<int> ended_;  // tags, groups and accounts
  std::map<int, int> tag_owners_;
  // Of each relation, what the writers of its events had seen.
  std::map<std::tuple<std::string, int, int>, std::vector<eventsourcing::PositionVector>>
      unconfirmed_;
  std::vector<Moment> moments_;
  std::set<std::pair<std::uint64_t, int>> likes_;      // moment, person
  std::set<std::pair<std::uint64_t, int>> bookmarks_;  // moment, person
  std::map<std::uint64_t, std::vector<Remark>> remarks_;
  std::map<std::uint64_t, std::vector<eventsourcing::PositionVector>> edits_;
  std::map<int, std::uint64_t> seen_;  // person -> the newest moment that he has seen
  eventsourcing::PositionVector delivered_;
};

}  // namespace tideline::feed::testing
