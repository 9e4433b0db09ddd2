// Reads tables `moment` and `moment_edit`. Says nothing of who may see a row: ask the engine first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "feed/domain/moment.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

struct MomentRow {
  core::MomentId id;
  core::AccountId author;
  Audience audience = Audience::Private;
  AudienceLists lists;
  std::optional<std::string> sealed_content;  // nullopt once deleted
  std::vector<std::string> images;
  core::Timestamp published_at;
  bool deleted = false;
  std::uint32_t audience_changes = 0;  // audience and lists are of the last one
  std::vector<core::AccountId> mentions{};
  std::optional<core::MomentId> repost_of{};
  bool has_poll = false;
};

// Of a row's column of that kind.
std::vector<core::AccountId> mentions_in(const sql::Row& row, std::size_t column);

// $1 = partitions, $2 = ids. Public for the test that asks PostgreSQL how it runs it.
extern const char* const kFindMomentsSql;

// Those of `ids` that the table holds; repeats are allowed. Touches only the partitions of their
// authors, so one author's page touches one.
std::map<core::MomentId, MomentRow> find_moments(sql::Transaction& transaction,
                                                 std::span<const core::MomentId> ids);

// The uploads that moments and messages name: (owner, hash).
extern const char* const kReferencedUploadsSql;

struct MomentEditRow {
  std::string sealed_content;
  core::Timestamp edited_at;
};

// A moment's id and the number of an edit of it, from 1 on.
using MomentEditKey = std::pair<core::MomentId, std::uint32_t>;

// $1 = partitions, $2 = ids, $3 = numbers. Public for the test that asks PostgreSQL how it runs it.
extern const char* const kFindEditsSql;

// Those of `edits` that the table holds, and perhaps others of these moments. Touches partitions as
// find_moments() does.
std::map<MomentEditKey, MomentEditRow> find_edits(sql::Transaction& transaction,
                                                  std::span<const MomentEditKey> edits);

}  // namespace tideline::feed
