// What one person has written below projects, and voted for: by project, then by id, from behind
// `after`, at most `limit`. Withdrawn projects and those across a block count, for what is read is
// the person's own. Texts come sealed. Functions block on the database and throw TransactionFailed,
// as the Transaction does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "projects/projections/project_queries.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

template <class Row>
struct BelowProject {
  std::string project;
  Row row;
};

// The default is ahead of all.
template <class Id>
struct PlaceBelow {
  std::string project{};
  Id id{};
};

// Without those that were removed.
std::vector<BelowProject<CommentRow>> list_comments_by(sql::Transaction& transaction,
                                                       const core::AccountId& author,
                                                       const PlaceBelow<std::int64_t>& after,
                                                       int limit);
std::vector<BelowProject<AdviceRow>> list_advice_by(sql::Transaction& transaction,
                                                    const core::AccountId& adviser,
                                                    const PlaceBelow<std::string>& after,
                                                    int limit);
std::vector<BelowProject<DocumentRow>> list_documents_by(sql::Transaction& transaction,
                                                         const core::AccountId& author,
                                                         const PlaceBelow<std::string>& after,
                                                         int limit);
// Projects for which the vote stands, in open votes and closed ones.
std::vector<std::string> list_votes_by(sql::Transaction& transaction, const core::AccountId& voter,
                                       const std::string& after, int limit);

}  // namespace tideline::projects
