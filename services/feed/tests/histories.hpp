// Random histories of everything that visibility depends on, in a world small enough that its
// people keep meeting: as events with streams, versions, logs and positions, as the topics would
// carry them. A history is read off a tape of numbers, so that a shrunk tape is a smaller history.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "eventsourcing/events/event.hpp"
#include "feed/domain/moment.hpp"
#include "feed/stream_keys.hpp"
#include "history_parts.hpp"
#include "recorded_history.hpp"
#include "tape.hpp"

namespace tideline::feed::testing {

class History {
 public:
  static constexpr std::uint32_t kPeople = 5;
  static constexpr std::uint32_t kGroupsMax = 3;
  static constexpr std::uint32_t kTagsMax = 6;
  static constexpr std::uint32_t kLogs = RecordedHistory::kLogs;

  // Which writers had seen all that was before them: some, the others nothing, or everybody.
  enum class Tokens { Some, All };

  explicit History(const std::vector<std::uint32_t>& numbers, Tokens tokens = Tokens::Some)
      : tape_(numbers), tokens_(tokens) {
    for (std::uint32_t i = 0; i < kPeople; ++i) {
      core::AccountId::Bytes bytes{};
      random_.fill(bytes);
      people_.emplace_back(bytes);
    }
    create_group(0);
    create_tag(0);
    create_tag(1);
    while (!tape_.done()) step();
  }

  const std::vector<core::AccountId>& people() const { return people_; }
  const std::vector<core::MomentId>& moments() const { return moments_; }
  // With the moment that each is on.
  const std::vector<std::pair<core::MomentId, core::CommentId>>& comments() const {
    return comments_;
  }
  const std::vector<std::string>& groups() const { return groups_; }
  const std::vector<eventsourcing::RecordedEvent>& events() const { return recorded_.events(); }

 private:
  using Json = nlohmann::json;

  void step() {
    // Now and then nothing happens for days, so that there are several months.
    time_ += ++steps_ % 40 == 0 ? std::chrono::days(12) : std::chrono::milliseconds(1);
    switch (tape_.below(34)) {
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
      case 14:
        return tape_.below(2) == 0 ? create_tag(tape_.below(kPeople))
                                   : create_group(tape_.below(kPeople));
      case 15:
      case 16:
        return toggle_like();
      case 17:
      case 18:
      case 19:
        return comment();
      case 20:
        return delete_comment();
      case 21:
      case 22:
        return edit_moment();
      case 23:
        return tape_.below(2) == 0 ? toggle_bookmark() : look_at_timeline();
      case 24:
        return tape_.below(2) == 0 ? toggle_block() : publish();
      case 25:
      case 26:
        return change_audience();
      case 32:
        return toggle_hidden_moment();
      case 33:
        return toggle_hidden_comment();
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
    const auto stream =
        stream_of("contact", std::min(people_[a], people_[b]), std::max(people_[a], people_[b]));
    const std::uint32_t how = tape_.below(6);
    if (last_type(stream) == "ContactAccepted") {
      if (how > 1) return;
      record("social-graph", stream, "ContactRemoved", {{"by", name(a)}, {"other", name(b)}});
      return;
    }
    const Json asked{{"from", name(a)}, {"to", name(b)}};
    record("social-graph", stream, "ContactRequested", asked);
    if (how == 2 && tape_.below(3) == 0) return;  // nobody has answered it yet
    if (how == 1) {
      record("social-graph", stream, "ContactDeclined", asked);
    } else {
      record("social-graph", stream, "ContactAccepted",
             {{"from", name(a)}, {"to", name(b)}, {"first", true}, {"seen", token()}});
    }
  }

  void toggle_follow() {
    const auto [a, b] = two_people();
    const auto stream = stream_of("follow", people_[a], people_[b]);
    record("social-graph", stream, last_type(stream) == "Followed" ? "Unfollowed" : "Followed",
           {{"follower", name(a)}, {"followee", name(b)}, {"seen", token()}});
  }

  void change_setting() {
    const auto [a, b] = two_people();
    const std::uint32_t bits = tape_.below(4);
    record("social-graph", stream_of("exclusion", people_[a], people_[b]), "MomentSettingChanged",
           {{"owner", name(a)},
            {"other", name(b)},
            {"hides_other", (bits & 1) != 0},
            {"hidden_from_other", (bits & 2) != 0},
            {"seen", token()}});
  }

  void toggle_block() {
    const auto [a, b] = two_people();
    const auto stream = stream_of("block", people_[a], people_[b]);
    record("social-graph", stream,
           last_type(stream) == "PersonBlocked" ? "PersonUnblocked" : "PersonBlocked",
           {{"by", name(a)}, {"other", name(b)}, {"seen", token()}});
  }

  std::string new_id() { return core::make_time_ordered_id(time_, random_); }

  void create_tag(std::uint32_t owner) {
    if (tags_.size() == kTagsMax) return;
    tags_.push_back({new_id(), owner});
    record("social-graph", stream_of("tag", tags_.back().id), "TagCreated",
           {{"owner", name(owner)}, {"tag_id", tags_.back().id}, {"name", "1.sealed"}});
  }

  void create_group(std::uint32_t creator) {
    if (groups_.size() == kGroupsMax) return;
    groups_.push_back(new_id());
    const std::string& id = groups_.back();
    record("social-graph", stream_of("group", id), "GroupCreated",
           {{"group_id", id}, {"creator", name(creator)}, {"name", "1.x"}, {"private", false}});
    record("social-graph", stream_of("member", id, people_[creator]), "GroupJoined",
           {{"group_id", id}, {"account_id", name(creator)}, {"seen", token()}});
  }

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[tape_.below(static_cast<std::uint32_t>(all.size()))];
  }

  std::string tag_for(std::uint32_t author) {
    const Tag* tag = &one_of(tags_);
    for (int more = 3; more > 0 && tag->owner != author; --more) tag = &one_of(tags_);
    return tag->id;
  }

  void toggle_tagged() {
    const Tag& tag = one_of(tags_);
    const std::uint32_t person = (tag.owner + 1 + tape_.below(kPeople - 1)) % kPeople;
    const auto stream = stream_of("tagged", tag.id, people_[person]);
    record("social-graph", stream,
           last_type(stream) == "ContactTagged" ? "ContactUntagged" : "ContactTagged",
           {{"owner", name(tag.owner)},
            {"tag_id", tag.id},
            {"account_id", name(person)},
            {"seen", token()}});
  }

  void toggle_member() {
    const std::string& group = one_of(groups_);
    const std::uint32_t person = tape_.below(kPeople);
    const auto stream = stream_of("member", group, people_[person]);
    const char* const end = tape_.below(2) == 0 ? "GroupLeft" : "GroupMemberRemoved";
    record("social-graph", stream, last_type(stream) == "GroupJoined" ? end : "GroupJoined",
           {{"group_id", group}, {"account_id", name(person)}, {"by", name(0)}, {"seen", token()}});
  }

  void end_something() {
    switch (tape_.below(4)) {
      case 0:
      case 1: {
        const Tag& tag = one_of(tags_);
        const auto stream = stream_of("tag", tag.id);
        if (last_type(stream) == "TagDeleted") return;
        record("social-graph", stream, "TagDeleted",
               {{"owner", name(tag.owner)}, {"tag_id", tag.id}, {"seen", token()}});
        return;
      }
      case 2: {
        const std::string& group = one_of(groups_);
        const auto stream = stream_of("group", group);
        if (last_type(stream) == "GroupDissolved") return;
        record("social-graph", stream, "GroupDissolved", {{"group_id", group}, {"seen", token()}});
        return;
      }
      default: {
        const std::uint32_t person = tape_.below(kPeople);
        const auto stream = stream_of("account", people_[person]);
        if (last_type(stream) == "AccountClosed") return;
        record("accounts", stream, "AccountClosed",
               {{"account_id", name(person)}, {"closed_at", core::format_iso8601(time_)}});
      }
    }
  }

  Json some_audience(std::uint32_t author) {
    static constexpr const char* kAudiences[] = {
        "public",           "private",          "public",         "partly-visible",
        "partly-invisible", "partly-invisible", "partly-visible", "partly-invisible"};
    const std::string audience = kAudiences[tape_.below(8)];
    Json groups = Json::array(), tags = Json::array(), users = Json::array();
    if (audience.starts_with("partly")) {
      const std::uint32_t which = tape_.below(8);
      if (which & 1) groups.push_back(one_of(groups_));
      // Sometimes a tag of somebody else: it names nobody.
      if (which & 2) tags.push_back(tag_for(author));
      for (auto named = which & 4; named > 0; named = tape_.below(2)) {
        users.push_back(name(tape_.below(kPeople)));
      }
    }
    return {{"audience", audience}, {"group_ids", groups}, {"tag_ids", tags}, {"user_ids", users}};
  }

  void publish() {
    // The owners of tags write most.
    const std::uint32_t author = tape_.below(4) < 3 ? tape_.below(2) : tape_.below(kPeople);
    const Json audience = some_audience(author);
    // Clocks of two processes differ: a later moment can have a smaller id.
    const auto at = time_ - std::chrono::milliseconds(tape_.below(6));
    const auto id = core::make_moment_id(at, people_[author], ++sequence_);
    moments_.push_back(id);
    authors_.push_back(author);
    Json data{{"moment_id", core::to_string(id)},
              {"author", name(author)},
              {"content", "1.sealed"},
              {"images", Json::array()},
              {"published_at", core::format_iso8601(at)},
              {"seen", token()}};
    data["mentions"] = some_mentions();
    data.update(audience);
    repost_something(data);
    record("feed", keys::moment(id), "MomentPublished", data);
  }

  // A moment that was public when it was published; not off the tape, for it changes nothing of
  // what may be seen.
  void repost_something(Json& data) {
    const bool reposts = sequence_ % 3 == 1 && !originals_.empty();
    const std::size_t which = reposts ? originals_[sequence_ / 3 % originals_.size()] : 0;
    data["repost_of"] = reposts ? Json(core::to_string(moments_[which])) : Json();
    data["repost_author"] = reposts ? Json(name(authors_[which])) : Json();
    if (!reposts && data["audience"] == "public") originals_.push_back(moments_.size() - 1);
  }

  // Not off the tape: what is mentioned changes nothing of what may be seen.
  Json some_mentions() const {
    Json mentions = Json::array();
    for (std::uint32_t i = 0; i < sequence_ % 3; ++i) {
      mentions.push_back(name((sequence_ / 3 + 2 * i) % kPeople));
    }
    return mentions;
  }

  void change_audience() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const auto stream = keys::moment(moments_[which]);
    if (last_type(stream) == "MomentDeleted") return;
    std::uint32_t& changes = audience_changes_[moments_[which]];
    if (changes == Moment::kAudienceChangesMax) return;
    Json data{{"moment_id", core::to_string(moments_[which])},
              {"author", name(authors_[which])},
              {"change", ++changes},
              {"changed_at", core::format_iso8601(time_)},
              {"seen", token()}};
    data.update(some_audience(authors_[which]));
    record("feed", stream, "MomentAudienceChanged", data);
  }

  std::string token() {
    const bool has_one = tokens_ == Tokens::All || tape_.below(3) == 0;
    return has_one ? recorded_.positions().to_token() : "";
  }

  // Rather one of the latest, so that people meet; moments_.size() when there is none.
  std::size_t some_moment() {
    const auto count = static_cast<std::uint32_t>(moments_.size());
    if (count == 0) return 0;
    return count - 1 - tape_.below(tape_.below(2) == 0 ? std::min(count, 4U) : count);
  }

  void toggle_like() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const std::uint32_t person = tape_.below(kPeople);
    const auto stream = keys::like(moments_[which], people_[person]);
    Json data{{"moment_id", core::to_string(moments_[which])}, {"account_id", name(person)}};
    if (last_type(stream) == "MomentLiked") {
      record("feed", stream, "MomentUnliked", data);
    } else {
      data["liked_at"] = core::format_iso8601(time_);
      data["moment_author"] = name(authors_[which]);
      record("feed", stream, "MomentLiked", data);
    }
  }

  void toggle_bookmark() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const std::uint32_t person = tape_.below(kPeople);
    const auto stream = keys::bookmark(people_[person], moments_[which]);
    const bool stands = last_type(stream) == "MomentBookmarked";
    record("feed", stream, stands ? "BookmarkRemoved" : "MomentBookmarked",
           {{"owner", name(person)},
            {"moment_id", core::to_string(moments_[which])},
            {"bookmarked_at", core::format_iso8601(time_)}});
  }

  void comment() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const std::uint32_t person = tape_.below(kPeople);
    const core::MomentId moment = moments_[which];
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < comments_.size(); ++i) {
      if (comments_[i].first == moment) others.push_back(i);
    }
    Json parent = nullptr;
    Json parent_author = nullptr;
    if (!others.empty() && tape_.below(4) > 0) {
      const std::size_t other = one_of(others);
      parent = core::to_string(comments_[other].second);
      parent_author = name(writers_[other]);
    }
    const auto at = time_ - std::chrono::milliseconds(tape_.below(6));
    const core::CommentId id(
        core::make_moment_id(at, people_[authors_[which]], ++sequence_).value());
    comments_.emplace_back(moment, id);
    writers_.push_back(person);
    record("feed", keys::comment(moment, id), "CommentAdded",
           {{"moment_id", core::to_string(moment)},
            {"moment_author", name(authors_[which])},
            {"comment_id", core::to_string(id)},
            {"parent_id", parent},
            {"parent_author", parent_author},
            {"author", name(person)},
            {"text", "1.sealed"},
            {"mentions", some_mentions()},
            {"written_at", core::format_iso8601(at)},
            {"seen", token()}});
  }

  void delete_comment() {
    if (comments_.empty()) return;
    const std::size_t which = tape_.below(static_cast<std::uint32_t>(comments_.size()));
    const auto& [moment, id] = comments_[which];
    const auto stream = keys::comment(moment, id);
    if (last_type(stream) == "CommentDeleted") return;
    record("feed", stream, "CommentDeleted",
           {{"moment_id", core::to_string(moment)},
            {"comment_id", core::to_string(id)},
            {"author", name(writers_[which])},
            {"by", name(writers_[which])}});
  }

  void edit_moment() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const auto stream = keys::moment(moments_[which]);
    if (last_type(stream) == "MomentDeleted") return;
    std::uint32_t& edits = edits_[moments_[which]];
    if (edits == Moment::kEditsMax) return;
    record("feed", stream, "MomentEdited",
           {{"moment_id", core::to_string(moments_[which])},
            {"author", name(authors_[which])},
            {"edit", ++edits},
            {"content", "1.sealed"},
            {"edited_at", core::format_iso8601(time_)},
            {"seen", token()}});
  }

  void look_at_timeline() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const std::uint32_t person = tape_.below(kPeople);
    core::MomentId& seen = seen_up_to_[person];
    if (moments_[which] <= seen) return;
    seen = moments_[which];
    record("feed", keys::timeline_reading(people_[person]), "TimelineSeen",
           {{"reader", name(person)}, {"up_to", core::to_string(seen)}});
  }

  void delete_moment() {
    if (moments_.empty()) return;
    const std::size_t which = tape_.below(static_cast<std::uint32_t>(moments_.size()));
    const auto stream = keys::moment(moments_[which]);
    if (last_type(stream) == "MomentDeleted") return;
    record("feed", stream, "MomentDeleted",
           {{"moment_id", core::to_string(moments_[which])}, {"author", name(authors_[which])}});
  }

  void toggle_hidden(const core::StreamId& stream, const std::string& kind, const Json& data) {
    const bool spared = tape_.below(2) == 0;  // most is to be seen by somebody
    recorded_.toggle_hidden(stream, kind, data, spared, token(), time_);
  }

  void toggle_hidden_moment() {
    const std::size_t which = some_moment();
    if (which == moments_.size()) return;
    const auto stream = keys::moment(moments_[which]);
    if (last_type(stream) == "MomentDeleted") return;
    toggle_hidden(
        stream, "Moment",
        {{"moment_id", core::to_string(moments_[which])}, {"author", name(authors_[which])}});
  }

  void toggle_hidden_comment() {
    if (comments_.empty()) return;
    const std::size_t which = tape_.below(static_cast<std::uint32_t>(comments_.size()));
    const auto& [moment, id] = comments_[which];
    const auto stream = keys::comment(moment, id);
    if (last_type(stream) == "CommentDeleted") return;
    toggle_hidden(stream, "Comment",
                  {{"moment_id", core::to_string(moment)},
                   {"comment_id", core::to_string(id)},
                   {"author", name(writers_[which])}});
  }

  std::string last_type(const core::StreamId& stream) const { return recorded_.last_type(stream); }
  void record(const char* source, const core::StreamId& stream, const char* type, Json data) {
    recorded_.add(source, stream, type, std::move(data), time_);
  }

  struct Tag {
    std::string id;
    std::uint32_t owner;
  };

  Tape tape_;
  const Tokens tokens_;
  core::SeededRandom random_{1};
  core::Timestamp time_{std::chrono::milliseconds(1'800'000'000'000)};
  std::uint32_t sequence_ = 0;
  std::uint32_t steps_ = 0;
  std::vector<core::AccountId> people_;
  std::vector<std::string> groups_;
  std::vector<Tag> tags_;
  std::vector<core::MomentId> moments_;
  std::vector<std::uint32_t> authors_;
  std::vector<std::size_t> originals_;  // among moments_
  std::map<core::MomentId, std::uint32_t> edits_;
  std::map<core::MomentId, std::uint32_t> audience_changes_;
  std::vector<std::pair<core::MomentId, core::CommentId>> comments_;
  std::vector<std::uint32_t> writers_;                  // of the comments
  std::map<std::uint32_t, core::MomentId> seen_up_to_;  // by person
  RecordedHistory recorded_;
};

}  // namespace tideline::feed::testing
