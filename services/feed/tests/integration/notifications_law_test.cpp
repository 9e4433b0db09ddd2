// The law of notifications: of random histories, in any interleaving of logs, everybody is told
// exactly what concerns him and he may know, and nothing else. What may be seen is the oracle's to
// say; what stands between two people is read off the last events of their streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "../feed_app.hpp"
#include "../oracle.hpp"
#include "../random_histories.hpp"
#include "feed_database.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::draw_history;
using testing::FeedApp;
using testing::FeedDatabase;
using testing::History;
using testing::history_count;
using testing::interleaved;
using testing::Oracle;
using testing::seeded_numbers;

// As an item says it; people by their names in the directory, newest first.
struct Told {
  std::string kind, moment, comment, at;
  std::vector<std::string> people;
  bool operator==(const Told&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Told& told) {
  out << told.at << " " << told.kind << " " << told.moment << " " << told.comment;
  for (const auto& person : told.people) out << " " << person;
  return out;
}

// One thing that somebody has done.
struct Deed {
  std::string at;
  int kind = 0;  // its place among kKinds
  std::uint64_t moment = 0;
  core::AccountId actor;
  std::uint64_t comment = 0;
};
const std::vector<std::string> kKinds{"like",    "comment", "reply", "follow", "contact-request",
                                      "contact", "mention", "repost"};

class PlainModel {
 public:
  explicit PlainModel(const History& history) {
    for (const auto& event : history.events()) {
      last_[event.stream.value()] = &event;
      data_.emplace_back(event, Json::parse(event.data));
    }
  }

  // All that concerns him and that he may know.
  std::vector<Deed> deeds_for(const core::AccountId& owner, const Oracle& oracle) const {
    const std::string me = owner.to_string();
    const auto met = oracle.met_by(owner);
    std::vector<Deed> deeds;
    std::set<std::string> known;  // streams
    for (const auto& [event, data] : data_) {
      const bool is_first = known.insert(event.type + event.stream.value()).second;
      const auto at = [&, &data = data](const char* field) {
        return data[field].get<std::string>();
      };
      if (event.type == "MomentLiked" && is_first && at("moment_author") == me) {
        const auto id = core::parse_moment_id(at("moment_id"))->value();
        const auto under = met.find(id);
        if (at("account_id") != me && under != met.end() &&
            under->second.likers.contains(at("account_id"))) {
          deeds.push_back({at("liked_at"), 0, id, account(at("account_id"))});
        }
      } else if (event.type == "MomentPublished" && at("author") != me) {
        const auto id = core::parse_moment_id(at("moment_id"))->value();
        const bool reposts_me = data.contains("repost_author") && data["repost_author"] == me;
        if (!met.contains(id) || (!reposts_me && !mentions(data, me))) continue;
        deeds.push_back({at("published_at"), reposts_me ? 7 : 6, id, account(at("author"))});
      } else if (event.type == "CommentAdded" && at("author") != me) {
        const auto id = core::parse_moment_id(at("moment_id"))->value();
        const auto under = met.find(id);
        if (under == met.end()) continue;
        const auto comment = core::parse_comment_id(at("comment_id"))->value();
        const auto shown = under->second.comments.find(comment);
        if (shown == under->second.comments.end()) continue;
        const bool answers_me = data.contains("parent_author") && data["parent_author"] == me;
        if (answers_me && shown->second != 0) {
          deeds.push_back({at("written_at"), 2, id, account(at("author")), comment});
        } else if (!answers_me && at("moment_author") == me) {
          deeds.push_back({at("written_at"), 1, id, account(at("author")), comment});
        } else if (!answers_me && mentions(data, me)) {
          deeds.push_back({at("written_at"), 6, id, account(at("author")), comment});
        }
      } else if (event.type == "Followed" && is_first && at("followee") == me) {
        const auto& last = *last_.at(event.stream.value());
        if (last.type == "Followed" && is_open(at("follower"), me)) {
          deeds.push_back({core::format_iso8601(event.time), 3, 0, account(at("follower"))});
        }
      } else if (is_last(event)) {
        if (event.type == "ContactRequested" && at("to") == me && is_open(at("from"), me)) {
          deeds.push_back({core::format_iso8601(event.time), 4, 0, account(at("from"))});
        }
        if (event.type == "ContactAccepted" && at("from") == me && is_open(at("to"), me)) {
          deeds.push_back({core::format_iso8601(event.time), 5, 0, account(at("to"))});
        }
      }
    }
    return deeds;
  }

 private:
  static core::AccountId account(const std::string& text) { return *core::AccountId::parse(text); }
  static bool mentions(const Json& data, const std::string& person) {
    if (!data.contains("mentions")) return false;
    return std::ranges::find(data["mentions"], Json(person)) != data["mentions"].end();
  }
  bool is_last(const eventsourcing::RecordedEvent& event) const {
    return last_.at(event.stream.value())->id == event.id;
  }
  bool ends_with(const std::string& stream, const char* type) const {
    const auto last = last_.find(stream);
    return last != last_.end() && last->second->type == type;
  }
  // Nobody of both blocks the other, and the one is there.
  bool is_open(const std::string& one, const std::string& other) const {
    return !ends_with("account-" + one, "AccountClosed") &&
           !ends_with("block-" + one + "-" + other, "PersonBlocked") &&
           !ends_with("block-" + other + "-" + one, "PersonBlocked");
  }

  std::map<std::string, const eventsourcing::RecordedEvent*> last_;
  std::vector<std::pair<eventsourcing::RecordedEvent, Json>> data_;
};

struct Mutes {
  std::set<int> kinds;
  std::set<core::AccountId> persons;
  std::set<std::uint64_t> moments;
};

class NotificationLaw {
 public:
  NotificationLaw(FeedDatabase& tables, std::mt19937& numbers,
                  std::map<core::AccountId, std::string> names)
      : tables_(tables), numbers_(numbers), names_(std::move(names)) {
    tables_.empty({"notification", "notification_setting"});
    app_.compares = false;
  }

  // All logs of a history in some interleaving, flushed now and then.
  void deliver(const History& history) {
    for (const auto& event : interleaved(history.events(), numbers_)) {
      take(event);
      if (numbers_() % 20 == 0) flush();
    }
    flush();
  }

  Mutes mute_something(const History& history, const core::AccountId& owner) {
    Mutes mutes;
    if (numbers_() % 2 == 0) return mutes;
    Json data{{"owner", owner.to_string()},
              {"kinds", Json::array()},
              {"persons", Json::array()},
              {"moment_ids", Json::array()}};
    if (numbers_() % 2 == 0) mutes.kinds.insert(static_cast<int>(numbers_() % kKinds.size()));
    if (numbers_() % 2 == 0) {
      mutes.persons.insert(history.people()[numbers_() % history.people().size()]);
    }
    if (!history.moments().empty()) {
      mutes.moments.insert(history.moments()[numbers_() % history.moments().size()].value());
    }
    for (const int kind : mutes.kinds) data["kinds"].push_back(kKinds[static_cast<unsigned>(kind)]);
    for (const auto& person : mutes.persons) data["persons"].push_back(person.to_string());
    for (const auto moment : mutes.moments) data["moment_ids"].push_back(std::to_string(moment));
    eventsourcing::RecordedEvent event;
    event.source = "feed";
    event.type = "NotificationsMuted";
    event.data = data.dump();
    app_.notifications.apply(event);
    flush();
    return mutes;
  }

  std::vector<Told> expected(const PlainModel& model, const core::AccountId& owner,
                             const Mutes& mutes) const {
    auto deeds = model.deeds_for(owner, oracle_);
    std::erase_if(deeds, [&](const Deed& deed) {
      return mutes.kinds.contains(deed.kind) || mutes.persons.contains(deed.actor) ||
             mutes.moments.contains(deed.moment);
    });
    const auto order = [](const Deed& deed) {
      return std::tuple(deed.kind, deed.moment, deed.actor, deed.comment);
    };
    std::ranges::sort(deeds, [&](const Deed& one, const Deed& other) {
      return one.at != other.at ? one.at > other.at : order(one) < order(other);
    });
    std::vector<Told> all;
    std::map<std::string, std::size_t> places;
    for (const Deed& deed : deeds) {
      const std::string key = deed.at.substr(0, 10) + kKinds[static_cast<unsigned>(deed.kind)] +
                              std::to_string(deed.moment);
      const auto [place, is_new] = places.emplace(key, all.size());
      if (is_new) {
        all.push_back({kKinds[static_cast<unsigned>(deed.kind)],
                       text_of(deed.moment),
                       text_of(deed.comment),
                       deed.at,
                       {}});
      }
      auto& people = all[place->second].people;
      const std::string& name = names_.at(deed.actor);
      if (std::ranges::find(people, name) == people.end()) people.push_back(name);
    }
    return all;
  }

  // By pages of three. Of the people of an item only three are named, the others are counted.
  std::vector<Told> found(const core::AccountId& owner) {
    std::vector<Told> all;
    std::optional<std::string> after;
    for (int pages = 0; pages < 500; ++pages) {
      http::Request request;
      request.method = http::Method::Get;
      request.path = "/v1/notifications";
      request.query_parameters = {{"limit", "3"}};
      if (after) request.query_parameters.emplace_back("after", *after);
      request.headers.set("Authorization", "Bearer " + owner.to_string());
      const auto response = app_.router.dispatch(request);
      EXPECT_EQ(response.status, 200) << response.body;
      const Json page = Json::parse(response.body);
      for (const auto& item : page["items"]) {
        Told told{item["kind"],
                  item["moment_id"].is_null() ? "" : item["moment_id"],
                  item["comment_id"].is_null() ? "" : item["comment_id"],
                  item["at"],
                  {}};
        for (const auto& person : item["people"]) told.people.push_back(person["user_id"]);
        while (told.people.size() < item["people_count"].get<std::size_t>()) {
          told.people.emplace_back("?");
        }
        all.push_back(std::move(told));
      }
      if (page["after"].is_null()) return all;
      after = page["after"];
    }
    ADD_FAILURE() << "pages without an end";
    return all;
  }

 private:
  static std::string text_of(std::uint64_t id) { return id == 0 ? "" : std::to_string(id); }

  void take(const eventsourcing::RecordedEvent& event) {
    app_.engine.apply(event);
    oracle_.deliver(event);
    app_.notifications.apply(event);
    reached_.raise(event.source, event.log, event.position);
  }
  void flush() {
    app_.engine_applied.advance(reached_);
    const auto done = tables_.database.transact(
        [&](sql::Transaction& transaction) { app_.notifications.flush(transaction); });
    EXPECT_TRUE(done.ok()) << done.error().message;
    app_.notifications.flushed();
    app_.notifications_applied.advance(reached_);
  }

  FeedDatabase& tables_;
  std::mt19937& numbers_;
  const std::map<core::AccountId, std::string> names_;
  FeedApp app_{tables_.database};
  Oracle oracle_;
  eventsourcing::PositionVector reached_;
};

TEST(NotificationLaw, EverybodyIsToldExactlyWhatConcernsHimAndHeMayKnow) {
  const int histories = history_count(200, 20);
  std::mt19937 numbers = seeded_numbers();
  FeedDatabase tables;
  std::map<core::AccountId, std::string> names;
  std::map<std::string, std::size_t> compared;
  for (int trial = 0; trial < histories; ++trial) {
    const History history = draw_history(numbers, 900);
    if (names.empty()) {
      for (const core::AccountId& person : history.people()) {
        names.emplace(person, "p" + std::to_string(names.size()));
        tables.enter_person(person, names.at(person), "");
      }
    }
    NotificationLaw law(tables, numbers, names);
    law.deliver(history);
    const PlainModel model(history);
    for (const core::AccountId& owner : history.people()) {
      const Mutes mutes = law.mute_something(history, owner);
      auto expected = law.expected(model, owner, mutes);
      for (Told& told : expected) {
        compared[told.kind] += 1;
        for (std::size_t i = 3; i < told.people.size(); ++i) told.people[i] = "?";
      }
      ASSERT_EQ(law.found(owner), expected) << "history " << trial << ", " << names.at(owner);
    }
  }
  for (const std::string& kind : kKinds) EXPECT_GT(compared[kind], 0U) << "no " << kind;
}

}  // namespace
}  // namespace tideline::feed
