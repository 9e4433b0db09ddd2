// What is read of projects. Cards and texts come sealed. Functions block on the database and throw
// TransactionFailed, as the Transaction does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "projects/domain/documents.hpp"
#include "sql/keyset.hpp"
#include "sql/transaction.hpp"

namespace tideline::projects {

struct ProjectRow {
  std::string id;
  core::AccountId author;
  std::string sealed_card;
  std::string sealed_labels;
  core::Timestamp published_at;
  std::optional<core::Timestamp> edited_at;
  core::StreamVersion version;
  std::int64_t comments = 0;
  std::int64_t advice = 0;
  std::int64_t advice_adopted = 0;
  std::string voting;  // "not-opened", "open", "closed"
  std::int64_t tally = 0;
  std::optional<std::string> icon;  // content hash
  std::int64_t documents = 0;
  bool withdrawn = false;
};

// The uploads that rows name: (owner, hash).
extern const char* const kReferencedUploadsSql;

std::optional<ProjectRow> find_project(sql::Transaction& transaction, const std::string& id);
// Lists leave out what people have made who are on the other side of a block with `viewer`, and
// what is withdrawn.
//
// Newest first; to the author also what is withdrawn.
sql::Slice<ProjectRow> list_by_author(sql::Transaction& transaction, const core::AccountId& author,
                                      const core::AccountId& viewer,
                                      const sql::Window<std::string>& window);
// Of all those who have not closed their accounts, newest first.
sql::Slice<ProjectRow> list_newest(sql::Transaction& transaction, const core::AccountId& viewer,
                                   const sql::Window<std::string>& window);
// Likewise, with one of two keys: a label of older events is its
// own.
struct LabelKeys {
  std::string label;
  std::string index;
};
sql::Slice<ProjectRow> list_by_label(sql::Transaction& transaction, const LabelKeys& keys,
                                     const core::AccountId& viewer,
                                     const sql::Window<std::string>& window);

// A label and one of the listed projects that have it, by which its text is found.
struct LabelRow {
  std::string key;
  std::int64_t projects = 0;  // that are listed
  core::AccountId author;
  std::string sealed_labels;
};
// Those that most authors use, then those of most projects: one author alone makes none large. Only
// labels of which `viewer` may see a project.
std::vector<LabelRow> list_labels(sql::Transaction& transaction, const core::AccountId& viewer,
                                  int limit);

struct CommentRow {
  std::int64_t id = 0;
  std::int64_t parent_id = 0;
  core::AccountId author;
  std::string sealed_text;
  core::Timestamp written_at;
  bool removed = false;  // then without a text
};

// In order of their ids; from behind `after`, or the last ones ahead of `before`.
sql::Slice<CommentRow> list_comments(sql::Transaction& transaction, const std::string& project,
                                     const core::AccountId& viewer,
                                     const std::optional<std::int64_t>& before,
                                     const std::optional<std::int64_t>& after, int limit);

struct AdviceRow {
  std::string id;
  core::AccountId adviser;
  std::string sealed_text;
  core::Timestamp given_at;
  std::optional<core::Timestamp> adopted_at;
};

// In the order in which it was given (of its ids, which sort by time); from behind `after`, or the
// last ones ahead of `before`.
sql::Slice<AdviceRow> list_advice(sql::Transaction& transaction, const std::string& project,
                                  const core::AccountId& viewer,
                                  const std::optional<std::string>& before,
                                  const std::optional<std::string>& after, int limit);

struct DocumentRow {
  std::string id;
  core::AccountId author;
  std::string sealed_title;
  StoredFile file;
  core::Timestamp added_at;
};

// All of a project's, in the order in which they were added (of their ids, which sort by time).
std::vector<DocumentRow> list_documents(sql::Transaction& transaction, const std::string& project);
std::optional<DocumentRow> find_document(sql::Transaction& transaction, const std::string& project,
                                         const std::string& document);

// For the closing of an account: projects of `author`, or with an open vote in which the vote of
// `voter` stands, by their ids from behind `after`.
std::vector<std::string> projects_of(sql::Transaction& transaction, const core::AccountId& author,
                                     const std::string& after, int limit);
std::vector<std::string> open_votes_of(sql::Transaction& transaction, const core::AccountId& voter,
                                       const std::string& after, int limit);

bool has_voted(sql::Transaction& transaction, const std::string& project,
               const core::AccountId& voter);

struct BoardPlace {
  std::int64_t tally = 0;
  std::string project;
};

// Open votes by tally, then by project id; from behind `after`, or ahead of `before`. The order is
// over all projects: the one query that merges partitions.
sql::Slice<BoardPlace> list_board(sql::Transaction& transaction, const core::AccountId& viewer,
                                  const std::optional<BoardPlace>& before,
                                  const std::optional<BoardPlace>& after, int limit);
// Those that exist, in the order of `ids`.
std::vector<ProjectRow> find_projects(sql::Transaction& transaction,
                                      std::span<const std::string> ids);

}  // namespace tideline::projects
