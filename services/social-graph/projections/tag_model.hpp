// Tables tag and tag_member: the tags of a person, and on whom they are. Part of GraphProjection. A
// row of tag belongs to the stream of that tag, a row of tag_member to the stream of that tagging:
// a deleted tag is a flag that queries ask for, its members stay as they are.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

class TagModel {
 public:
  static constexpr std::array kTables{"tag", "tag_member"};

  void apply(const eventsourcing::RecordedEvent& event);
  void flush(sql::Transaction& transaction) const;
  void clear();

 private:
  struct TagRow {
    std::optional<std::string> sealed_name;  // nullopt: created before the last flush
    std::optional<core::Timestamp> created_at;
    bool deleted = false;
    core::StreamVersion version;
  };
  struct MemberRow {
    bool active = false;
    core::Timestamp since;
    core::StreamVersion version;
  };
  using TagKey = std::pair<core::AccountId, std::string>;  // owner, tag
  struct MemberKey {
    core::AccountId owner;
    std::string tag_id;
    core::AccountId account_id;
    auto operator<=>(const MemberKey&) const = default;
  };

  void flush_tags(sql::Transaction& transaction) const;
  void flush_members(sql::Transaction& transaction) const;

  // As the last event since the last flush left them.
  std::map<TagKey, TagRow> tags_;
  std::map<MemberKey, MemberRow> members_;
};

}  // namespace tideline::social_graph
