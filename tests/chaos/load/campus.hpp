// Who takes part, and what is known of each: enough to say beforehand what a command must be
// answered with and which events it writes, wherever its sender alone decides that.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sender.hpp"

namespace tideline::chaos {

using MemberIndex = std::size_t;

enum class PairPhase { None, Requested, Contacts, Declined, Withdrawn, Removed };
enum class VotingPhase { NotOpened, Open, Closed };
enum class GroupStanding { Member, Admin, Left, Removed };

inline bool is_in_group(GroupStanding standing) {
  return standing == GroupStanding::Member || standing == GroupStanding::Admin;
}

struct Pair {
  PairPhase phase = PairPhase::None;
  MemberIndex from = 0;  // who asked last
};

struct OwnTag {
  std::string id;
  bool deleted = false;
  std::set<MemberIndex> people;
};

struct OwnGroup {
  std::string id;
  bool is_private = false;
  bool dissolved = false;
  bool shows_history = false;
};

enum class AdvicePhase { Given, Adopted, Withdrawn };

// On a project of a member of the same worker, so that both know what becomes of it.
struct ReceivedAdvice {
  std::string id;
  MemberIndex adviser = 0;
  AdvicePhase phase = AdvicePhase::Given;
};

struct OwnProject {
  std::string id;
  VotingPhase voting = VotingPhase::NotOpened;
  std::vector<ReceivedAdvice> advice{};
  std::optional<std::uint32_t> icon{};  // number of the picture
};

// Shown to nobody: others would not know whether it is there.
struct HiddenProject {
  std::string id;
  bool withdrawn = false;
};

struct ProjectComment {
  std::string path;
  bool removed = false;
};

struct MomentSetting {
  bool hides_other = false;
  bool hidden_from_other = false;
  friend bool operator==(const MomentSetting&, const MomentSetting&) = default;
};

struct MomentComment {
  std::string moment;
  std::string id;
  bool deleted = false;
};

// Touched by one worker alone: a person's commands come one after the other.
struct Member {
  Account account;
  std::optional<std::uint32_t> avatar;  // number of the picture
  std::set<MemberIndex> following;
  std::string counts_shown_to = "nobody";
  std::set<MemberIndex> remarked;   // of this worker's members alone
  std::set<MemberIndex> dismissed;  // as suggestions
  std::map<MemberIndex, MomentSetting> settings;
  std::vector<OwnTag> tags;
  std::vector<OwnGroup> groups;
  std::string circles_position;  // position token that covers his tags and memberships
  std::vector<OwnProject> projects;
  std::optional<HiddenProject> hidden_project;
  std::vector<ProjectComment> project_comments;
  std::map<std::string, GroupStanding> memberships;
  std::set<std::string> declined_groups;  // invitations into them
  std::set<std::string> votes;            // standing, by project
  std::vector<std::string> moments;
  std::optional<std::string> deleted_moment;
  std::set<std::string> likes;      // standing, by moment
  std::set<std::string> bookmarks;  // standing, by moment
  std::string pinned;               // "" = none
  std::set<std::string> visited;    // moments and projects, by path
  std::set<std::string> reported;   // moments and comments, by path
  std::int64_t notifications_seen_us = 0;
  std::uint64_t timeline_seen = 0;
  std::string mutes;  // as they were sent, "" = none ever
  bool takes_contacts_only = false;
  std::vector<MomentComment> comments;
  std::string last_message;            // key of what he has sent last and not recalled; "" = none
  std::map<std::string, int> ratings;  // stars, by the rating's target
};

template <class Items>
auto& any_of(const Items& items, std::mt19937_64& random) {
  return items[std::uniform_int_distribution<std::size_t>(0, items.size() - 1)(random)];
}
template <class Items>
auto& any_of(Items& items, std::mt19937_64& random) {
  return items[std::uniform_int_distribution<std::size_t>(0, items.size() - 1)(random)];
}

// What everybody may know of: the newest so many ids. Thread-safe.
class Notices {
 public:
  void put_up(const std::string& id);
  std::optional<std::string> draw(std::mt19937_64& random) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> ids_;
  std::size_t next_ = 0;
};

struct Campus {
  std::vector<Member> members;
  Notices projects;
  Notices groups;  // public ones
  Notices moments;
  Notices messages;
};

}  // namespace tideline::chaos
