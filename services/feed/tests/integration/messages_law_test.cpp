// Messages against a plain model: random histories of sending, recalling, joining, leaving,
// blocking and reading, their events brought to the tables in any interleaving of logs, with
// repeats, and once more from the beginning. At any time everybody's boxes, groups, threads,
// conversations and counts are what the model says of what has arrived and of who is a member now.
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
const std::vector<std::string> kTables{
    "message",      "message_entry", "message_read", "message_request", "message_setting",
    "conversation", "group_message", "group_mark",   "message_search",  "search_closed"};

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
  std::set<std::string> recalled;                                      // keys
  std::map<std::string, std::pair<core::Timestamp, core::AccountId>>
      marks;  // of the group, by reader
  // As it is now, whatever has arrived.
  std::map<std::string, core::Timestamp> members;  // since when
  bool open_history = false;
  std::set<std::pair<std::string, std::string>> blocks;

  bool are_apart(const std::string& one, const std::string& other) const {
    return blocks.contains({one, other}) || blocks.contains({other, one});
  }
  bool is_in_group_of(const std::string& who, const Sent& message) const {
    const auto member = members.find(who);
    return message.to_group && member != members.end() &&
           (open_history || message.time >= member->second) && !are_apart(who, message.sender);
  }
  bool is_behind_mark(const std::string& who, const Sent& message) const {
    const auto mark = marks.find(who);
    return mark == marks.end() || std::pair(message.time, message.sender_id) > mark->second;
  }

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
    if (message.to_group) return message.sender == who || !is_behind_mark(who, message);
    return message.sender == who || recalled.contains(message.key) ||
           (read.contains(who) && read.at(who).contains(message.key));
  }
};

class Campus {
 public:
  explicit Campus(FeedDatabase& tables) : tables_(tables), app_(tables.database) {
    tables.empty(kTables);
    tables.empty({"person", "person_profile"});
    app_.befriend("ada", "bob");
    for (const std::string& name : kPeople) tables.enter_person(app_.id_of(name), name, name);
  }

  void take(std::uint32_t number) {
    const std::uint32_t choice = number % 22;
    const std::uint32_t rest = number / 22;
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
    if (choice < 15) return recall(rest / 3);
    if (choice < 16) return mark_thread(who, other);
    if (choice < 17) return mark_group(who, rest / 3);
    if (choice < 18) return rest % 2 == 0 ? block(who, other) : change_history();
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
    tables_.empty(kTables);
    std::stable_sort(past_.begin(), past_.end(),
                     [](const auto& a, const auto& b) { return a.log > b.log; });
    app_.write_tables(past_);
  }

  void check() {
    for (const std::string& who : kPeople) {
      check_boxes(who);
      check_conversations(who);
    }
  }

 private:
  void check_boxes(const std::string& who) {
    const auto received = [&](const Sent& sent) { return model_.box_of(who, sent) == "inbox"; };
    const auto requested = [&](const Sent& sent) { return model_.box_of(who, sent) == "requests"; };
    const auto sent_by = [&](const Sent& sent) { return sent.sender == who; };
    expect_list(who, "/v1/messages/inbox", received);
    expect_list(who, "/v1/messages/sent", sent_by);
    expect_list(who, "/v1/messages/requests", requested);
    const auto in_group = [&](const Sent& sent) { return model_.is_in_group_of(who, sent); };
    const std::string of_group = "/v1/messages/groups/" + group_;
    const bool is_member = model_.members.contains(who);
    if (is_member) expect_list(who, of_group, in_group);
    if (!is_member) RC_ASSERT(app_.get(who, of_group).status == 404);
    std::set<std::string> days;
    for (const Sent& sent : model_.arrived) days.insert(day_of(sent));
    for (const std::string& day : days) {
      expect_list(who, "/v1/messages/inbox?day=" + day,
                  [&](const Sent& sent) { return received(sent) && day_of(sent) == day; });
      const std::string timelines = "/v1/messages/timelines/";
      expect_list(who, timelines + who + "_Sent_" + day,
                  [&](const Sent& sent) { return sent_by(sent) && day_of(sent) == day; });
      if (!is_member) continue;
      expect_list(who, timelines + group_ + "_Inbox_" + day,
                  [&](const Sent& sent) { return in_group(sent) && day_of(sent) == day; });
    }
    std::size_t unread = 0;
    for (const Sent& sent : model_.arrived) {
      if (received(sent) && !model_.is_read(who, sent)) ++unread;
      const int status = app_.get(who, "/v1/messages/" + sent.key).status;
      const bool may_read = received(sent) || requested(sent) || sent_by(sent) || in_group(sent);
      RC_ASSERT(status == (may_read ? 200 : 404));
    }
    RC_ASSERT(read(who, "/v1/messages/inbox/unread")["unread"] == unread);
    expect_list(who, "/v1/messages/search?query=x", [&](const Sent& sent) {
      return !model_.recalled.contains(sent.key) &&
             (received(sent) || requested(sent) || sent_by(sent) || in_group(sent));
    });
  }

  // Of two people, as one of them sees it.
  bool is_between(const std::string& who, const std::string& other, const Sent& sent) const {
    if (sent.to_group) return false;
    if (sent.sender == who) return sent.recipients.contains(other);
    return sent.sender == other && model_.box_of(who, sent) != "";
  }

  void check_conversations(const std::string& who) {
    // By what the list is ordered by; the texts are what is expected.
    std::map<std::tuple<core::Timestamp, std::string, core::AccountId>, std::string> expected;
    const auto expect = [&](const std::string& group, const std::string& other, auto is_in) {
      const auto listed = model_.newest_first(is_in);
      if (listed.empty()) return;
      const auto unread = model_.newest_first([&](const Sent& sent) {
        return is_in(sent) && sent.sender != who && !model_.recalled.contains(sent.key) &&
               !model_.is_read(who, sent);
      });
      const auto id = group.empty() ? app_.id_of(other) : core::AccountId();
      expected[{listed.front()->time, group, id}] =
          group + other + " " + shown(who, *listed.front()) + " " + std::to_string(unread.size());
    };
    expect(group_, "", [&](const Sent& sent) { return model_.is_in_group_of(who, sent); });
    for (const std::string& other : kPeople) {
      if (other == who) continue;
      expect_list(who, "/v1/messages/conversations/" + other,
                  [&](const Sent& sent) { return is_between(who, other, sent); });
      expect("", other, [&](const Sent& sent) {
        return is_between(who, other, sent) && model_.box_of(who, sent) != "requests";
      });
    }
    Keys wanted;
    for (const auto& [place, text] : expected) wanted.insert(wanted.begin(), text);
    Keys found;
    std::string next = "/v1/messages/conversations?limit=1";
    while (found.size() <= wanted.size()) {
      const Json page = read(who, next);
      for (const auto& item : page["items"]) {
        const std::string id =
            item["group_id"].is_null() ? item["with"]["user_id"] : item["group_id"];
        found.push_back(id + " " + shown(item["last"]) + " " + item["unread"].dump());
      }
      if (page["after"].is_null()) break;
      next = "/v1/messages/conversations?limit=1&after=" + page["after"].get<std::string>();
    }
    RC_ASSERT(found == wanted);
  }

  std::string shown(const std::string& who, const Sent& sent) const {
    return sent.key + (model_.is_read(who, sent) ? " read" : "") +
           (model_.recalled.contains(sent.key) ? " recalled" : " x");
  }
  static std::string shown(const Json& item) {
    const std::string text = item["text"].is_null() ? "" : item["text"].get<std::string>();
    return item["key"].get<std::string>() + (item["read"] ? " read" : "") +
           (item["recalled"] ? " recalled" : " ") + text;
  }

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
    if (model_.are_apart(who, other)) {
      const int status = app_.post(who, "/v1/messages", {{"to", other}, {"text", "x"}}).status;
      RC_ASSERT(status == (model_.blocks.contains({who, other}) ? 409 : 404));
      return;
    }
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
    if (!model_.members.contains(who)) {
      RC_ASSERT(app_.post(who, "/v1/messages", body).status == 404);
      return;
    }
    send(who, body, {});
  }
  void move(const std::string& who) {
    const bool joins = model_.members.try_emplace(who, app_.clock.now()).second;
    if (!joins) model_.members.erase(who);
    joins ? app_.join(who, group_) : app_.leave(who, group_);
  }
  void change_history() {
    model_.open_history = !model_.open_history;
    app_.tell(
        "social-graph", "GroupHistoryChanged",
        {{"group_id", group_}, {"history", model_.open_history ? "from_start" : "from_joining"}});
  }
  void block(const std::string& who, const std::string& other) {
    const bool blocks = model_.blocks.insert({who, other}).second;
    if (!blocks) model_.blocks.erase({who, other});
    app_.tell("social-graph", blocks ? "PersonBlocked" : "PersonUnblocked",
              {{"by", app_.id_of(who).to_string()}, {"other", app_.id_of(other).to_string()}});
  }
  // Of any that has been sent, whether or not it has arrived.
  void recall(std::uint32_t number) {
    if (sent_.empty()) return;
    const Sent& message = std::next(sent_.begin(), number % sent_.size())->second;
    const std::string path = "/v1/messages/" + message.key;
    const bool in_time = app_.clock.now() - message.time <= std::chrono::minutes(2);
    const std::string& other = message.sender == "ada" ? kPeople[1] : kPeople[0];
    RC_ASSERT(app_.call(other, http::Method::Delete, path).status == 404);
    const int status = app_.call(message.sender, http::Method::Delete, path).status;
    RC_ASSERT(status == (in_time || recalled_.contains(message.key) ? 204 : 409));
    if (status == 204) recalled_.insert(message.key);
  }
  void mark_thread(const std::string& who, const std::string& other) {
    const auto inbox = model_.newest_first([&](const Sent& sent) {
      return sent.sender == other && model_.box_of(who, sent) == "inbox";
    });
    if (inbox.empty()) return;
    const auto expected = std::count_if(
        inbox.begin(), inbox.end(), [&](const Sent* sent) { return !model_.is_read(who, *sent); });
    const auto response = app_.post(who, "/v1/messages/conversations/" + other + "/read",
                                    {{"up_to", inbox.front()->key}});
    RC_ASSERT(Json::parse(response.body)["marked"] == expected);
  }
  void mark_group(const std::string& who, std::uint32_t number) {
    const auto listed = model_.newest_first([](const Sent& sent) { return sent.to_group; });
    if (listed.empty()) return;
    const auto response = app_.post(who, "/v1/messages/groups/" + group_ + "/read",
                                    {{"up_to", listed[number % listed.size()]->key}});
    RC_ASSERT(response.status == (model_.members.contains(who) ? 204 : 404));
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
    } else if (event.type == "MessageRecalled") {
      model_.recalled.insert(named(data["message_key"]));
    } else if (event.type == "GroupMessagesRead") {
      const Sent& up_to = sent_.at(named(data["up_to"]));
      auto& mark = model_.marks[name_of(data["reader"])];
      mark = std::max(mark, {up_to.time, up_to.sender_id});
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
    for (const Sent* sent : model_.newest_first(wanted)) expected.push_back(shown(who, *sent));
    const std::string first = path + (path.find('?') == std::string::npos ? "?" : "&") + "limit=3";
    Keys found;
    std::string next = first;
    while (found.size() <= expected.size()) {
      const Json page = read(who, next);
      for (const auto& item : page["items"]) found.push_back(shown(item));
      if (page["after"].is_null()) break;
      next = first + "&after=" + page["after"].get<std::string>();
    }
    RC_ASSERT(found == expected);
  }

  FeedDatabase& tables_;
  FeedApp app_;
  const std::string group_ = core::make_time_ordered_id(app_.clock.now(), app_.random);
  std::set<std::string> recalled_;                   // on their way, too
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
