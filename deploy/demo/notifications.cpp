#include "demo/notifications.hpp"

#include <algorithm>
#include <atomic>

#include "demo/oracle.hpp"

namespace tideline::demo {
namespace {

// A notification does not count further.
constexpr std::size_t kPeopleMax = 1000;

using Counts = std::map<std::pair<std::string, std::string>, std::size_t>;

std::string text_of(const Counts& counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    text += " " + what.first + (what.second.empty() ? "" : " under " + what.second) + " by " +
            std::to_string(count) + ";";
  }
  return text.empty() ? " nothing" : text;
}

class Teller {
 public:
  Teller(const World& world, PersonIndex owner) : world_(world), owner_(owner) {
    const auto muted = world.mutes.find(owner);
    if (muted != world.mutes.end()) mutes_ = muted->second;
  }

  Told tell() {
    for (const auto& [asked, accepting] : world_.accepted) {
      if (asked == owner_ && is_contact(accepting)) add("contact", "", accepting);
    }
    for (PersonIndex other = 0; other < world_.people.size() && !mutes_.follows; ++other) {
      if (world_.following[other].contains(owner_)) add("follow", "", other);
    }
    for (const auto& [number, liker] : world_.likes) {
      const Moment& moment = world_.moments[number];
      if (moment.author == owner_ && !moment.deleted && is_contact(liker)) {
        add("like", std::to_string(moment.id), liker);
      }
    }
    for (const Comment& comment : world_.comments) tell_of(comment);
    for (const Moment& moment : world_.moments) tell_of(moment);
    return std::move(told_);
  }

 private:
  bool is_contact(PersonIndex other) const { return world_.contacts[owner_].contains(other); }

  void add(const std::string& kind, const std::string& moment, PersonIndex actor) {
    if (actor != owner_ && !mutes_.people.contains(actor)) told_[{kind, moment}].insert(actor);
  }

  // An answer is told to whom it answers, who meets the moment's author and his contacts.
  void tell_of(const Comment& comment) {
    const Moment& moment = world_.moments[comment.moment];
    if (comment.deleted || !may_see(world_, owner_, moment)) return;
    if (comment.author != moment.author && !is_contact(comment.author)) return;
    const std::string id = std::to_string(moment.id);
    if (comment.answers) {
      const Comment& answered = world_.comments[*comment.answers];
      if (answered.author == owner_ && !answered.deleted) add("reply", id, comment.author);
    }
    const bool is_reply_to_author =
        comment.answers && world_.comments[*comment.answers].author == moment.author;
    if (moment.author == owner_ && !is_reply_to_author) add("comment", id, comment.author);
  }

  // Of one that mentions him, or reposts one of his.
  void tell_of(const Moment& moment) {
    if (!may_see(world_, owner_, moment)) return;
    const std::string id = std::to_string(moment.id);
    if (moment.repost_of && world_.moments[*moment.repost_of].author == owner_) {
      add("repost", id, moment.author);
    }
    if (std::ranges::find(moment.mentions, owner_) != moment.mentions.end()) {
      add("mention", id, moment.author);
    }
  }

  const World& world_;
  const PersonIndex owner_;
  Mutes mutes_;
  Told told_;
};

// Of several days one kind and moment may have several.
Counts read_counts(Campus& campus, Client& client, PersonIndex owner, std::size_t& items,
                   std::string& newest) {
  Counts counts;
  std::string page = "/v1/notifications?limit=100";
  while (true) {
    const Json answer = campus.as(client, owner, 200, "GET", page).json();
    for (const Json& item : answer.at("items")) {
      const Json& moment = item.at("moment_id");
      counts[{item.at("kind"), moment.is_null() ? "" : moment.get<std::string>()}] +=
          item.at("people_count").get<std::size_t>();
      if (newest.empty()) newest = item.at("at");
      ++items;
    }
    if (answer.at("after").is_null()) return counts;
    page = "/v1/notifications?limit=100&after=" + answer.at("after").get<std::string>();
  }
}

}  // namespace

Told told_of(const World& world, PersonIndex owner) { return Teller(world, owner).tell(); }

std::size_t verify_notifications(WorkerPool& workers, Campus& campus,
                                 const std::vector<PersonIndex>& people) {
  std::atomic<std::size_t> all{0};
  workers.work("notifications verified", people.size(), [&](Client& client, std::size_t i) {
    const PersonIndex owner = people[i];
    Counts expected;
    for (const auto& [what, who] : told_of(campus.world(), owner)) {
      expected[what] = std::min(who.size(), kPeopleMax);
    }
    std::size_t items = 0;
    std::string newest;
    const Counts got = read_counts(campus, client, owner, items, newest);
    if (got != expected) {
      throw UnexpectedAnswer("notifications of " + campus.world().people[owner].user_id +
                             ": expected" + text_of(expected) + " got" + text_of(got));
    }
    all += items;
    if (newest.empty() || i % 4 != 0) return;
    campus.as(client, owner, 204, "PUT", "/v1/notifications/seen", {{"up_to", newest}});
    const Json unread = campus.as(client, owner, 200, "GET", "/v1/notifications/unread").json();
    if (unread.at("unread") == 0) return;
    throw UnexpectedAnswer("notifications of " + campus.world().people[owner].user_id +
                           " that are seen are unread: " + unread.dump());
  });
  return all;
}

}  // namespace tideline::demo
