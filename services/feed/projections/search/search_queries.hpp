// Which moments and messages have all words of a query, whoever may see them: candidates, of which
// the engine and their texts decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"
#include "feed/domain/message_key.hpp"
#include "search/term_keys.hpp"
#include "search/terms.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

// A query's terms as table `moment_search` keeps them.
struct WantedWords {
  std::vector<std::int64_t> keys;
};
WantedWords wanted_words(const search::TermKeys& keys, const search::Query& query);

// Public moments, and the others of `authors`, newest first: at most `limit` of each, below the
// bound. All of either kind that are newer than the last of its ids are among them.
struct FoundByWords {
  std::vector<core::MomentId> ids;  // newest first
  bool all = false;                 // there are no more below the bound
};
FoundByWords find_by_words(sql::Transaction& transaction, const WantedWords& wanted,
                           std::span<const core::AccountId> authors, core::MomentId bound,
                           std::size_t limit);

// The same of messages to and from the person, and to the groups: newest first, at most `limit`
// below the bound.
std::vector<MessageKey> find_messages_by_words(sql::Transaction& transaction,
                                               const WantedWords& wanted,
                                               const core::AccountId& person,
                                               std::span<const std::string> group_ids,
                                               const std::optional<MessageKey>& bound,
                                               std::size_t limit);

// Parameters: scopes, keys, the bound, the limit. For tests that look at its plan.
extern const char* const kFindByWordsSql;

}  // namespace tideline::feed
