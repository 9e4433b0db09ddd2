// What random histories are made of: ids of streams, and versions of events.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::feed::testing {

// A stream of another service: its key is the other's business, here it only has to be its own.
template <class... Ids>
core::StreamId stream_of(const std::string& kind, const Ids&... ids) {
  const auto text = [](const auto& id) -> std::string {
    if constexpr (requires { id.to_string(); })
      return id.to_string();
    else
      return id;
  };
  return core::StreamId((kind + ... + ("-" + text(ids))));
}

// Of the types that had the token in the data of their first version: one that is not `newer` has
// it there, and says nothing that came later.
inline void fit_to_version(eventsourcing::RecordedEvent& event, nlohmann::json& data, bool newer) {
  static const std::set<std::string> kNewer{"PersonBlocked",      "PersonUnblocked",
                                            "GroupMemberRemoved", "MomentAudienceChanged",
                                            "MomentRestored",     "CommentRestored"};
  if (data.contains("seen") && (newer || kNewer.contains(event.type))) {
    if (!kNewer.contains(event.type)) event.schema_version = core::SchemaVersion(2);
    event.metadata.seen = data["seen"];
    data.erase("seen");
  }
  if (event.type == "MomentLiked") event.schema_version = core::SchemaVersion(2);
  if (data.contains("seen")) {
    for (const char* later : {"parent_author", "mentions", "repost_of", "repost_author"}) {
      data.erase(later);
    }
  } else if (event.type == "MomentPublished" || event.type == "CommentAdded") {
    event.schema_version = core::SchemaVersion(4);
  }
}

}  // namespace tideline::feed::testing
