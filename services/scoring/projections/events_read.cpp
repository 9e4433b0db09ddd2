#include "scoring/projections/events_read.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "eventsourcing/event_data.hpp"

namespace tideline::scoring {
namespace {

using eventsourcing::EventData;

struct Reader {
  std::string_view source;
  std::string_view type;
  Fact (*read)(const EventData&);
};

Fact read_rated(const EventData& data) {
  const auto kind = rating_kind_named(data.text("kind"));
  if (!kind) throw eventsourcing::PoisonEvent("a rating of another kind: " + data.text("kind"));
  const std::string subject =
      *kind == RatingKind::Person ? data.account("subject").to_string() : data.id("subject");
  const Rated rated{
      data.account("rater"), {*kind, subject}, data.integer("stars"), data.integer("before")};
  if (rated.stars < Rating::kStarsMin || rated.stars > Rating::kStarsMax || rated.before < 0 ||
      rated.before > Rating::kStarsMax) {
    throw eventsourcing::PoisonEvent("a rating of other than 1 to 5 stars");
  }
  return rated;
}

int read_version(const EventData& data) {
  const std::int64_t version = data.integer("version");
  if (version < 1 || version > std::numeric_limits<int>::max()) {
    throw eventsourcing::PoisonEvent("rules of no good version");
  }
  return static_cast<int>(version);
}

Rule read_rule(const EventData& data) {
  const auto reason = reason_named(data.text("reason"));
  if (!reason) throw eventsourcing::PoisonEvent("a rule of another reason: " + data.text("reason"));
  Rule rule{*reason, data.integer("points"), data.integer("contribution")};
  if (const auto cap = data.nullable_integer("cap_per_day")) {
    if (*cap < 1 || *cap > Rule::kCapMax) throw eventsourcing::PoisonEvent("a cap of no events");
    rule.cap_per_day = static_cast<std::uint32_t>(*cap);
  }
  return rule;
}

Fact read_rules_changed(const EventData& data) {
  std::vector<std::int64_t> points;
  for (const EventData& level : data.objects("levels")) points.push_back(level.integer("points"));
  if (!Levels::may_begin_at(points)) {
    throw eventsourcing::PoisonEvent("levels in another order than their points");
  }
  RuleSet set{.version = read_version(data),
              .from = data.day("from"),
              .rules = {},
              .levels = Levels(std::move(points))};
  for (const EventData& rule : data.objects("rules")) set.rules.push_back(read_rule(rule));
  return RulesChanged{std::move(set), data.account("operator")};
}

Fact read_rule_days_settled(const EventData& data) {
  RuleDaysSettled settled;
  for (const EventData& day : data.objects("days")) {
    settled.days.push_back({day.day("day"), read_version(day)});
  }
  return settled;
}

constexpr std::array kReaders = {
    Reader{"accounts", "AccountRegistered",
           [](const EventData& data) -> Fact {
             return read::AccountRegistered{data.account("account_id")};
           }},
    Reader{"accounts", "AccountClosed",
           [](const EventData& data) -> Fact {
             return read::AccountClosed{data.account("account_id")};
           }},
    Reader{
        "accounts", "SignedIn",
        [](const EventData& data) -> Fact { return read::SignedIn{data.account("account_id")}; }},
    Reader{
        "accounts", "ProfileViewed",
        [](const EventData& data) -> Fact { return read::ProfileViewed{data.account("owner")}; }},
    Reader{"social-graph", "ContactAccepted",
           [](const EventData& data) -> Fact {
             return read::ContactAccepted{data.account("from"), data.account("to"),
                                          data.boolean("first")};
           }},
    Reader{"social-graph", "Followed",
           [](const EventData& data) -> Fact {
             return read::Followed{data.account("follower"), data.account("followee"),
                                   data.boolean("first")};
           }},
    Reader{"projects", "ProjectCreated",
           [](const EventData& data) -> Fact {
             return read::ProjectCreated{data.id("project_id"), data.account("author")};
           }},
    Reader{"projects", "ProjectEdited",
           [](const EventData& data) -> Fact {
             return read::ProjectEdited{data.id("project_id"), data.account("author")};
           }},
    Reader{"projects", "CommentAdded",
           [](const EventData& data) -> Fact {
             return read::CommentAdded{data.id("project_id"), data.account("author")};
           }},
    Reader{"projects", "AdviceAdopted",
           [](const EventData& data) -> Fact {
             return read::AdviceAdopted{data.id("project_id"), data.account("adviser")};
           }},
    Reader{"projects", "VoteCast",
           [](const EventData& data) -> Fact {
             return read::VoteCast{data.id("project_id"), data.account("project_author"),
                                   data.account("voter"), data.boolean("first")};
           }},
    Reader{"scoring", "PointsAdjusted",
           [](const EventData& data) -> Fact {
             return PointsAdjusted{data.account("account_id"), data.integer("delta"),
                                   data.text("reason"), data.account("operator")};
           }},
    Reader{"scoring", "Rated", read_rated},
    Reader{"scoring", "RulesChanged", read_rules_changed},
    Reader{"scoring", "RuleDaysSettled", read_rule_days_settled},
};

}  // namespace

std::optional<Fact> read_fact(const eventsourcing::RecordedEvent& recorded) {
  const auto reader = std::find_if(kReaders.begin(), kReaders.end(), [&](const Reader& known) {
    return known.type == recorded.type && known.source == recorded.source;
  });
  if (reader == kReaders.end()) return std::nullopt;
  return reader->read(EventData(recorded));
}

}  // namespace tideline::scoring
