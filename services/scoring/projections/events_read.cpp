#include "scoring/projections/events_read.hpp"

#include <algorithm>
#include <array>
#include <string_view>

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
