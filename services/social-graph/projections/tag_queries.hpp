// What tables tag and tag_member answer: by tag, and by the account that is tagged. Blocks on the
// database; throws TransactionFailed. Names come sealed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/keyset.hpp"

namespace tideline::social_graph {

struct ListedTag {
  std::string tag_id;
  std::string sealed_name;
  core::Timestamp created_at;
  std::int64_t contact_count = 0;
  core::StreamVersion version;  // of the tag itself
  core::Timestamp since;        // what the list is ordered by
};

sql::Slice<ListedTag> list_tags(sql::Transaction& transaction, const core::AccountId& owner,
                                const sql::Window<std::string>& window);
// nullopt: `owner` has no such tag, or has deleted it.
std::optional<ListedTag> find_tag(sql::Transaction& transaction, const core::AccountId& owner,
                                  const std::string& tag_id);

// On whom the tag is, latest first; whether it is deleted the caller has asked before.
sql::Slice<sql::PersonSince> list_tagged(sql::Transaction& transaction,
                                         const core::AccountId& owner, const std::string& tag_id,
                                         const sql::Window<core::AccountId>& window);
// The other index: who has put which tag on `account`. For operators, exports and checks alone; no
// route shows it, for whoever is tagged must not learn of it.
struct TagOnPerson {
  core::AccountId owner;
  std::string tag_id;
  core::Timestamp since;
};
sql::Slice<TagOnPerson> list_tagging(sql::Transaction& transaction, const core::AccountId& account,
                                     const sql::Window<std::string>& window);

struct HeldTagging {
  std::string tag_id;
  core::AccountId account;
  core::Timestamp since;
};
// On whom the tags of `owner` are that are not deleted, from behind `after` (without its time) on,
// in the order of tags and accounts.
std::vector<HeldTagging> list_taggings_of(sql::Transaction& transaction,
                                          const core::AccountId& owner, const HeldTagging& after,
                                          int limit);

// Which of his tags `owner` has put on `account`, latest first.
sql::Slice<ListedTag> list_tags_on(sql::Transaction& transaction, const core::AccountId& owner,
                                   const core::AccountId& account,
                                   const sql::Window<std::string>& window);

}  // namespace tideline::social_graph
