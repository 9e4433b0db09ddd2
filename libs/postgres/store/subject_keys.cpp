#include "postgres/store/subject_keys.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::postgres {
namespace {

using core::AccountId;
using crypto::SubjectKey;
using sql::Row;
using sql::Rows;
using sql::Transaction;

enum class Standing { Unknown, Present, Destroyed };

struct Held {
  Standing standing = Standing::Unknown;
  SubjectKey key{};
};

SubjectKey key_of(const std::string& hex) {
  const auto bytes = core::from_hex(hex);
  CHECK(bytes && bytes->size() == SubjectKey().size(), "a subject key has 256 bits");
  SubjectKey key{};
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

Held held_of(const Row& row, std::size_t column) {
  if (row.is_null(column)) return {Standing::Destroyed, {}};
  return {Standing::Present, key_of(row.text(column))};
}

constexpr std::string_view kSelectKey =
    "SELECT encode(key, 'hex') FROM subject_key WHERE subject = $1";

Held held_of(const Rows& rows) { return rows.empty() ? Held{} : held_of(rows.front(), 0); }

}  // namespace

// Two processes may get here for one subject: both read what the first of them wrote.
core::Result<Rows> PostgresSubjectKeys::create(const AccountId& subject) {
  Rows rows;
  const auto status = database_.transact([&](Transaction& transaction) {
    transaction.execute(
        "INSERT INTO subject_key (subject, key) VALUES ($1, decode($2, 'hex'))"
        " ON CONFLICT (subject) DO NOTHING",
        {subject, core::to_hex(crypto::new_subject_key())});
    rows = transaction.execute(kSelectKey, {subject});
  });
  if (!status) return status.error();
  return rows;
}

core::Result<SubjectKey> PostgresSubjectKeys::get_or_create(const AccountId& subject) {
  const auto known = database_.query(kSelectKey, {subject});
  if (!known) return known.error();
  Held held = held_of(*known);
  if (held.standing == Standing::Unknown) {
    const auto created = create(subject);
    if (!created) return created.error();
    held = held_of(*created);
    CHECK(held.standing != Standing::Unknown, "a row that was just written is there");
  }
  if (held.standing == Standing::Destroyed) {
    return core::Error{core::ErrorCode::Conflict, "the subject's key has been destroyed", false};
  }
  return held.key;
}

core::Result<std::optional<SubjectKey>> PostgresSubjectKeys::find(const AccountId& subject) {
  auto found = find_many(std::span(&subject, 1));
  if (!found) return found.error();
  return found->front();
}

core::Result<std::vector<std::optional<SubjectKey>>> PostgresSubjectKeys::find_many(
    std::span<const AccountId> subjects) {
  std::unordered_map<AccountId, SubjectKey> keys;
  const std::vector<AccountId> wanted(subjects.begin(), subjects.end());
  const auto rows = database_.query(
      "SELECT subject, encode(key, 'hex') FROM subject_key"
      " WHERE subject = ANY($1::uuid[]) AND key IS NOT NULL",
      {wanted});
  if (!rows) return rows.error();
  for (const Row& row : *rows) keys.emplace(row.account(0), key_of(row.text(1)));
  std::vector<std::optional<SubjectKey>> found;
  found.reserve(subjects.size());
  for (const AccountId& subject : subjects) {
    const auto held = keys.find(subject);
    found.push_back(held == keys.end() ? std::nullopt : std::optional(held->second));
  }
  return found;
}

core::Status PostgresSubjectKeys::destroy(const AccountId& subject) {
  return database_.transact([&](Transaction& transaction) {
    transaction.execute(
        "INSERT INTO subject_key (subject, key, destroyed_at) VALUES ($1, NULL, now())"
        " ON CONFLICT (subject) DO UPDATE SET key = NULL, destroyed_at = now()"
        " WHERE subject_key.key IS NOT NULL",
        {subject});
  });
}

}  // namespace tideline::postgres
