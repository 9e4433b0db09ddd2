// What somebody notes for himself: bookmarks, what he has seen, what he does not want to be told
// of; and what is counted or judged because he has looked: visits, reports.
#include <algorithm>
#include <array>
#include <ctime>

#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr std::array kMutedKinds = {"like", "comment", "reply", "follow"};
constexpr std::array kCategories = {"spam", "harassment", "privacy", "other"};
constexpr std::int64_t kSecond_us = 1'000'000;

std::string as_iso8601(std::int64_t us) {
  const std::time_t seconds = us / kSecond_us;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(kSecond_us + us % kSecond_us).substr(1);
  return std::string(text.data()) + "." + fraction + "Z";
}

}  // namespace

// Who may see the moment, others decide; a bookmark that stands is removed all the same.
Command CommandGenerator::bookmark(MemberIndex actor) {
  const auto id = campus_.moments.draw(random_);
  if (!id) return publish_moment(actor);
  std::set<std::string>& bookmarks = member(actor).bookmarks;
  const bool stands = bookmarks.contains(*id);
  const bool remove = one_in(3);
  const std::string target = "/v1/moments/" + *id + "/bookmark";
  Command command =
      remove ? does("bookmark-remove", "feed", call_of("DELETE", target), stands ? 204 : 0,
                    stands ? "BookmarkCountChanged,BookmarkRemoved" : "")
             : does("bookmark", "feed", call_of("PUT", target), 0,
                    stands ? "" : "BookmarkCountChanged,MomentBookmarked");
  command.learn = [&bookmarks, id, remove](const auto& reply) {
    if (!acknowledged(reply)) return;
    if (remove) {
      bookmarks.erase(*id);
    } else {
      bookmarks.insert(*id);
    }
  };
  return command;
}

// The feed's memory has his moment sooner or later.
Command CommandGenerator::pin(MemberIndex actor) {
  Member& author = member(actor);
  if (author.moments.empty()) return publish_moment(actor);
  const bool unpins = !author.pinned.empty() && one_in(3);
  const std::string id = unpins ? author.pinned : any_of(author.moments, random_);
  Command command = does(unpins ? "unpin" : "pin", "feed",
                         call_of(unpins ? "DELETE" : "PUT", "/v1/moments/" + id + "/pin"), 0,
                         (author.pinned == id) == unpins ? "PinnedMomentChanged" : "");
  command.learn = [&author, id, unpins](const auto& reply) {
    if (acknowledged(reply)) author.pinned = unpins ? "" : id;
  };
  return command;
}

// Of somebody else's, so that it counts; once a day, and the day may change.
Command CommandGenerator::visit_moment(MemberIndex actor) {
  const MemberIndex author = own_other_than(actor);
  const auto& moments = member(author).moments;
  if (author == actor || moments.empty()) return publish_moment(actor);
  const std::string path = "/v1/moments/" + any_of(moments, random_) + "/visits";
  std::set<std::string>& visited = member(actor).visited;
  Command command = does("moment-visit", "feed", call_of("POST", path), 0,
                         visited.contains(path) ? "(MomentVisited)?" : "MomentVisited");
  command.learn = [&visited, path](const auto& reply) {
    if (acknowledged(reply)) visited.insert(path);
  };
  return command;
}

Command CommandGenerator::visit_project(MemberIndex actor) {
  const MemberIndex author = own_other_than(actor);
  const auto& projects = member(author).projects;
  if (author == actor || projects.empty()) return create_project(actor);
  const std::string path = "/v1/projects/" + any_of(projects, random_).id + "/visits";
  std::set<std::string>& visited = member(actor).visited;
  Command command = does("project-visit", "projects", call_of("POST", path), 204,
                         visited.contains(path) ? "(ProjectVisited)?" : "ProjectVisited");
  command.learn = [&visited, path](const auto& reply) {
    if (acknowledged(reply)) visited.insert(path);
  };
  return command;
}

// Somebody else's moment or comment, as far as he sees it. The first report opens the case.
Command CommandGenerator::report(MemberIndex actor) {
  const MemberIndex author = own_other_than(actor);
  const Member& reported = member(author);
  if (author == actor || reported.moments.empty()) return publish_moment(actor);
  std::string path = "/v1/moments/" + any_of(reported.moments, random_);
  if (!reported.comments.empty() && one_in(2)) {
    const MomentComment& comment = any_of(reported.comments, random_);
    path = "/v1/moments/" + comment.moment + "/comments/" + comment.id;
  }
  path += "/report";
  std::set<std::string>& reports = member(actor).reported;
  const bool stands = reports.contains(path);
  Command command = does(
      "report", "feed",
      call_of("PUT", path, {{"category", any_of(kCategories, random_)}, {"text", text("Report")}}),
      stands ? 204 : 0, stands ? "" : "(CaseOpened,)?ReportCountChanged,SubjectReported");
  command.learn = [&reports, path](const auto& reply) {
    if (acknowledged(reply)) reports.insert(path);
  };
  return command;
}

// Up to now, or to some time ago; the mark only rises.
Command CommandGenerator::see_notifications(MemberIndex actor) {
  std::int64_t& held = member(actor).notifications_seen_us;
  const std::int64_t up_to =
      now_us() - std::uniform_int_distribution<std::int64_t>(0, 5 * kSecond_us)(random_);
  Command command = does("notifications-seen", "feed",
                         call_of("PUT", "/v1/notifications/seen", {{"up_to", as_iso8601(up_to)}}),
                         204, up_to > held ? "NotificationsSeen" : "");
  command.learn = [&held, up_to](const auto& reply) {
    if (acknowledged(reply)) held = std::max(held, up_to);
  };
  return command;
}

Command CommandGenerator::mute_notifications(MemberIndex actor) {
  Member& owner = member(actor);
  std::set<std::string> kinds;
  std::set<std::string> people;
  std::set<std::string> moments;
  if (one_in(3)) kinds.insert(any_of(kMutedKinds, random_));
  if (one_in(2)) people.insert(name(other_than(actor)));
  if (one_in(3) && !owner.moments.empty()) moments.insert(any_of(owner.moments, random_));
  const bool none = kinds.empty() && people.empty() && moments.empty();
  demo::Json body{{"kinds", kinds}, {"user_ids", people}, {"moment_ids", moments}};
  const std::string wanted = none ? "" : body.dump();
  Command command =
      does("notifications-mute", "feed", call_of("PUT", "/v1/notifications/mutes", std::move(body)),
           204, wanted == owner.mutes ? "" : "NotificationsMuted");
  command.learn = [&owner, wanted](const auto& reply) {
    if (acknowledged(reply)) owner.mutes = wanted;
  };
  return command;
}

Command CommandGenerator::see_timeline(MemberIndex actor) {
  const auto& moments = member(actor).moments;
  if (moments.empty()) return publish_moment(actor);
  const std::string& id = any_of(moments, random_);
  const std::uint64_t up_to = std::stoull(id);
  std::uint64_t& held = member(actor).timeline_seen;
  Command command =
      does("timeline-seen", "feed", call_of("PUT", "/v1/timeline/seen", {{"up_to", id}}), 204,
           up_to > held ? "TimelineSeen" : "");
  command.learn = [&held, up_to](const auto& reply) {
    if (acknowledged(reply)) held = std::max(held, up_to);
  };
  return command;
}

}  // namespace tideline::chaos
