// What stands between two people, whom both know, and whom one may know: over the tables of
// contacts, follows, blocks, moment settings and suggestions. Blocks on the database; throws
// TransactionFailed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "social-graph/projections/contact_model.hpp"
#include "social-graph/projections/follow_queries.hpp"
#include "sql/keyset.hpp"

namespace tideline::social_graph {

// As `me` sees `other`. Whether `other` blocks him is not among it, and what follows from that is
// not told apart from strangers.
struct HeldRelation {
  Relation contact = Relation::None;
  bool follows = false;
  bool followed_by = false;
  bool blocked = false;                      // by `me`
  std::optional<std::string> sealed_remark;  // under the key of `me`
  std::int64_t mutual_contacts = 0;
  std::optional<FollowCounts> follow_counts;  // nullopt: `me` may not know
};
HeldRelation find_relation(sql::Transaction& transaction, const core::AccountId& me,
                           const core::AccountId& other);

// Whom `me` has dismissed as a suggestion, from behind `after` on, in the order of ids.
std::vector<core::AccountId> list_dismissed(sql::Transaction& transaction,
                                            const core::AccountId& me, const core::AccountId& after,
                                            int limit);

// Contacts of `me` who are contacts of `other`, by when they became those of `me`, newest first.
// None while one of the two blocks the other. Reads at most all contacts of `me`.
sql::Slice<sql::PersonSince> list_mutual(sql::Transaction& transaction, const core::AccountId& me,
                                         const core::AccountId& other,
                                         const sql::Window<core::AccountId>& window);

struct SuggestedPerson {
  core::AccountId account;
  std::int64_t mutual_contacts = 0;  // among those that were looked at
};
// So much is looked at for one answer: the latest contacts of `me`, and the latest of each of
// these.
inline constexpr int kNearMax = 200;
inline constexpr int kFarMax = 200;
inline constexpr int kSuggestionsMax = 50;
// Contacts of contacts, those first who have most of them in common with `me`. Nobody with whom
// there ever was a contact or a request, nobody whom one of the two has blocked or excluded, nobody
// who is closed or was dismissed.
std::vector<SuggestedPerson> suggest_contacts(sql::Transaction& transaction,
                                              const core::AccountId& me);

}  // namespace tideline::social_graph
