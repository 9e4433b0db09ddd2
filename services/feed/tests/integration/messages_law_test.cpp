// Messages against a plain model: random histories of sending, joining, leaving and reading, their
// events brought to the tables in any interleaving of logs, with repeats, and once more from the
// beginning. At any time everybody's boxes and counts are what the model says of what has arrived.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "../feed_app.hpp"
#include "feed_database.hpp"
#include "support/costly_law.hpp"

namespace tideline::feed {
namespace {

using Json = nlohmann::json;
using testing::FeedApp;
using testing::FeedDatabase;
using Keys = std::vector<std::string>;
using Numbers = std::vector<std::uint32_t>;

const std::vector<std::string> kPeople{"ada", "bob", "cleo"};

struct Sent {
  std::string key;
  std::string sender;
  bool to_group = false;
  std::set<std::string> recipients;
  bool is_request = false;
  core::Timestamp time;
  core::AccountId sender_id;  // the order of messages of one microsecond
};

// What boxes hold, by sentences.
struct Model {
  std::vector<Sent> arrived;
  std::map<std::string, std::set<std::string>> read;  // by reader: keys whose marks have arrived
  std::map<std::pair<std::string, std::string>, std::string> answers;  // recipient, sender

  // Where the message lies for `who`: "" for nowhere.
  std::string box_of(const std::string& who, const Sent& message) const {
    if (!message.recipients.contains(who)) return "";
    if (!message.is_request) return "inbox";
    const auto found = answers.find({who, message.sender});
    if (found == answers.end() || found->second == "none") return "requests";
    return found->second == "accepted" ? "inbox" : "";
  }

  std::vector<const Sent*> newest_first(const std::function<bool(const Sent&)>& wanted) const {
    std::vector<const Sent*> found;
    for (const Sent& message : arrived) {
      if (wanted(message)) found.push_back(&message);
    }
    std::sort(found.begin(), found.end(), [](const Sent* a, const Sent* b) {
      return std::tie(b->time, b->sender_id) < std::tie(a->time, a->sender_id);
    });
    return found;
  }
  bool is_read(const std::string& who, const Sent& message) const {
    return message.sender == who || (read.contains(who) && read.at(who).contains(message.key));
  }
};

class Campus {
 public:
  explicit Campus(FeedDatabase& tables) : tables_(tables), app_(tables.database) {
    tables.empty({"message", "message_entry", "message_read", "message_request", "person",
                  "person_profile"});
    app_.befriend("ada", "bob");
    for (const std::string& name : kPeople) tables.enter_person(app_.id_of(name), name, name);
  }

  void take(std::uint32_t number) {
    const std::uint32_t choice = number % 16;
    const std::uint32_t rest = number / 16;
    const std::string& who = kPeople[rest % kPeople.size()];
    const std::string& other = kPeople[(rest + 1 + rest / 3 % 2) % kPeople.size()];
    app_.clock.advance(
        std::chrono::microseconds(rest % 5 == 0 ? rest % 50'000'000'000U : rest % 2));
    if (choice < 4) return send_to_person(who, other);
    if (choice < 5) return answer(who, other, rest);
    if (choice < 8) return send_to_group(who);
    if (choice < 10) return move(who);
    if (choice < 12) return mark_one(who, rest / 3);
    if (choice < 13) return mark_up_to(who, rest / 3);
    deliver(rest);
  }

  void deliver_all() {
    for (auto& [log, events] : on_their_way()) {
      while (!events.empty()) arrive(events);
    }
  }

  // The same tables from the same events, the logs one after the other, the last one first: marks
  // come before their messages.
  void build_anew() {
    tables_.empty({"message", "message_entry", "message_read", "message_request"});
    std::stable_sort(past_.begin(), past_.end(),
                     [](const auto& a, const auto& b) { return a.log > b.log; });
    app_.write_tables(past_);
  }

  void check() {
    for (const std::string& who : kPeople) {
      const auto received = [&](const Sent& sent) { return model_.box_of(who, sent) == "inbox"; };
      const auto requested = [&](const Sent& sent) {
        return model_.box_of(who, sent) == "requests";
      };
      const auto sent_by = [&](const Sent& sent) { return sent.sender == who; };
      expect_list(who, "/v1/messages/inbox", received);
      expect_list(who, "/v1/messages/sent", sent_by);
      expect_list(who, "/v1/messages/requests", requested);
      expect_list(who, "/v1/messages/groups/" + group_, [&](const Sent& sent) {
        return sent.to_group && (received(sent) || sent_by(sent));
      });
      std::set<std::string> days;
      for (const Sent& sent : model_.arrived) days.insert(day_of(sent));
      for (const std::string& day : days) {
        expect_list(who, "/v1/messages/inbox?day=" + day,
                    [&](const Sent& sent) { return received(sent) && day_of(sent) == day; });
      }
      std::size_t unread = 0;
      for (const Sent& sent : model_.arrived) {
        if (received(sent) && !model_.is_read(who, sent)) ++unread;
        const int status = app_.get(who, "/v1/messages/" + sent.key).status;
        RC_ASSERT(status == (received(sent) || requested(sent) || sent_by(sent) ? 200 : 404));
      }
      RC_ASSERT(read(who, "/v1/messages/inbox/unread")["unread"] == unread);
    }
  }

 private:
  using Pending = std::map<std::uint32_t, std::deque<eventsourcing::RecordedEvent>>;

  static std::string day_of(const Sent& sent) { return core::format_day(core::utc_day(sent.time)); }
  Json read(const std::string& who, const std::string& path) {
    const auto response = app_.get(who, path);
    RC_ASSERT(response.status == 200);
    return Json::parse(response.body);
  }

  // Everybody else's messages to each other are requests, three at most, until they are accepted or
  // answered.
  void send_to_person(const std::string& who, const std::string& other) {
    const bool contacts = who != "cleo" && other != "cleo";
    const bool is_request = !contacts && !accepted_.contains({other, who});
    if (is_request && waiting_[{other, who}] == 3) {
      RC_ASSERT(app_.post(who, "/v1/messages", {{"to", other}, {"text", "x"}}).status == 409);
      return;
    }
    if (is_request) ++waiting_[{other, who}];
    if (!contacts) accepted_.insert({who, other});
    send(who, {{"to", other}, {"text", "x"}}, {other}, is_request);
  }
  void answer(const std::string& who, const std::string& other, std::uint32_t number) {
    const bool accepts = number % 2 == 0;
    const std::pair pair{who, other};
    const bool is = accepted_.contains(pair);
    const bool possible = is ? accepts : waiting_[pair] > 0;
    const std::string path = "/v1/messages/requests/" + other + (accepts ? "/accept" : "/ignore");
    RC_ASSERT(app_.call(who, http::Method::Post, path).status == (possible ? 204 : 404));
    if (possible && accepts) accepted_.insert(pair);
  }
  void send(const std::string& who, Json body, std::set<std::string> recipients,
            bool is_request = false) {
    const bool to_group = body.contains("group_id");
    const auto response = app_.post(who, "/v1/messages", body);
    RC_ASSERT(response.status == 201);
    const Json answer = Json::parse(response.body);
    Sent sent{answer["key"],  who,
              to_group,       std::move(recipients),
              is_request,     *core::parse_iso8601(answer["sent_at"].get<std::string>()),
              app_.id_of(who)};
    sent_.emplace(sent.key, std::move(sent));
  }
  void send_to_group(const std::string& who) {
    const Json body{{"group_id", group_}, {"text", "x"}};
    if (!members_.contains(who)) {
      RC_ASSERT(app_.post(who, "/v1/messages", body).status == 404);
      return;
    }
    std::set<std::string> others = members_;
    others.erase(who);
    send(who, body, others);
  }
  void move(const std::string& who) {
    const bool joins = members_.insert(who).second;
    if (!joins) members_.erase(who);
    app_.tell("social-graph", joins ? "GroupJoined" : "GroupLeft",
              {{"group_id", group_}, {"account_id", app_.id_of(who).to_string()}});
  }

  std::vector<const Sent*> inbox_of(const std::string& who) const {
    return model_.newest_first(
        [&](const Sent& sent) { return model_.box_of(who, sent) == "inbox"; });
  }
  void mark_one(const std::string& who, std::uint32_t number) {
    if (model_.arrived.empty()) return;
    const Sent& message = model_.arrived[number % model_.arrived.size()];
    const auto response = app_.post(who, "/v1/messages/inbox/read", {{"keys", {message.key}}});
    if (model_.box_of(who, message) != "inbox") {
      RC_ASSERT(response.status == 404);
      return;
    }
    RC_ASSERT(Json::parse(response.body)["marked"] == (model_.is_read(who, message) ? 0 : 1));
  }
  void mark_up_to(const std::string& who, std::uint32_t number) {
    const auto inbox = inbox_of(who);
    if (inbox.empty()) return;
    const std::size_t first = number % inbox.size();
    std::size_t expected = 0;
    for (std::size_t i = first; i < inbox.size(); ++i) {
      if (!model_.is_read(who, *inbox[i])) ++expected;
    }
    const auto response = app_.post(who, "/v1/messages/inbox/read", {{"up_to", inbox[first]->key}});
    RC_ASSERT(Json::parse(response.body)["marked"] == expected);
  }

  Pending& on_their_way() {
    for (auto& event : app_.new_events()) pending_[event.log.value()].push_back(std::move(event));
    return pending_;
  }
  // Some events of one log, in their order, and perhaps some of what had arrived before.
  void deliver(std::uint32_t number) {
    auto& logs = on_their_way();
    if (logs.empty()) return;
    auto& events = std::next(logs.begin(), number % logs.size())->second;
    for (std::uint32_t i = 0; i <= number / 7 % 4 && !events.empty(); ++i) arrive(events);
    if (number % 3 == 0 && !past_.empty()) app_.write_tables({past_[number % past_.size()]});
  }
  void arrive(std::deque<eventsourcing::RecordedEvent>& events) {
    const eventsourcing::RecordedEvent event = events.front();
    events.pop_front();
    app_.write_tables({event});
    past_.push_back(event);
    const Json data = Json::parse(event.data);
    if (event.type == "MessageSent") {
      model_.arrived.push_back(sent_.at(named(data["message_key"])));
    } else if (event.type == "MessageRequestChanged") {
      model_.answers[{name_of(data["recipient"]), name_of(data["sender"])}] = data["answer"];
    } else if (event.type == "MessagesRead") {
      for (const std::string& who : kPeople) {
        if (app_.id_of(who).to_string() != data["reader"]) continue;
        for (const auto& key : data["messages"]) model_.read[who].insert(named(key));
      }
    }
  }
  std::string name_of(const std::string& account) const {
    return *std::find_if(kPeople.begin(), kPeople.end(), [&](const std::string& who) {
      return app_.id_of(who).to_string() == account;
    });
  }
  // A stored key as people say it.
  std::string named(const std::string& stored) const {
    const std::size_t mark = stored.find('_');
    for (const std::string& who : kPeople) {
      if (app_.id_of(who).to_string() == stored.substr(0, mark)) return who + stored.substr(mark);
    }
    return stored;
  }

  // Through all pages, of three.
  void expect_list(const std::string& who, const std::string& path,
                   const std::function<bool(const Sent&)>& wanted) {
    Keys expected;
    for (const Sent* sent : model_.newest_first(wanted)) {
      expected.push_back(sent->key + (model_.is_read(who, *sent) ? " read" : ""));
    }
    const std::string first = path + (path.find('?') == std::string::npos ? "?" : "&") + "limit=3";
    Keys found;
    std::string next = first;
    while (found.size() <= expected.size()) {
      const Json page = read(who, next);
      for (const auto& item : page["items"]) {
        found.push_back(item["key"].get<std::string>() + (item["read"] ? " read" : ""));
      }
      if (page["after"].is_null()) break;
      next = first + "&after=" + page["after"].get<std::string>();
    }
    RC_ASSERT(found == expected);
  }

  FeedDatabase& tables_;
  FeedApp app_;
  const std::string group_ = core::make_time_ordered_id(app_.clock.now(), app_.random);
  std::set<std::string> members_;
  using Pair = std::pair<std::string, std::string>;  // recipient, sender
  std::set<Pair> accepted_;
  std::map<Pair, int> waiting_;
  std::map<std::string, Sent> sent_;
  Pending pending_;
  std::vector<eventsourcing::RecordedEvent> past_;
  Model model_;
};

TEST(MessagesLaw, BoxesAreWhatAPlainModelSays) {
  FeedDatabase tables;
  std::size_t steps = 0;
  EXPECT_TRUE(test_support::holds("boxes equal the model", 40, [&] {
    const auto numbers = *rc::gen::container<Numbers>(40, rc::gen::arbitrary<std::uint32_t>());
    Campus campus(tables);
    for (const std::uint32_t number : numbers) {
      campus.take(number);
      ++steps;
    }
    campus.check();
    campus.deliver_all();
    campus.check();
    campus.build_anew();
    campus.check();
  }));
  std::cout << "steps: " << steps << '\n';
}

}  // namespace
}  // namespace tideline::feed
