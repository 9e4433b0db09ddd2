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

// Bytes as they are stored; none: destroyed, or never there.
struct Held {
  Standing standing = Standing::Unknown;
  std::string stored;
};

std::string bytes_of(const std::string& hex) {
  const auto bytes = core::from_hex(hex);
  CHECK(bytes, "PostgreSQL encodes bytes");
  return {bytes->begin(), bytes->end()};
}

std::string hex_of(std::string_view stored) { return core::to_hex(core::as_bytes(stored)); }

constexpr std::string_view kSelectKey =
    "SELECT encode(key, 'hex') FROM subject_key WHERE subject = $1";

Held held_of(const Rows& rows) {
  if (rows.empty()) return {};
  if (rows.front().is_null(0)) return {Standing::Destroyed, {}};
  return {Standing::Present, bytes_of(rows.front().text(0))};
}

constexpr std::int64_t kWrappedAtOnce = 1'000;

}  // namespace

// Two processes may get here for one subject: both read what the first of them wrote.
core::Result<Rows> PostgresSubjectKeys::create(const AccountId& subject) {
  const auto stored = wrap_.wrap(subject, crypto::new_subject_key());
  if (!stored) return stored.error();
  Rows rows;
  const auto status = database_.transact([&](Transaction& transaction) {
    transaction.execute(
        "INSERT INTO subject_key (subject, key) VALUES ($1, decode($2, 'hex'))"
        " ON CONFLICT (subject) DO NOTHING",
        {subject, hex_of(*stored)});
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
  return wrap_.unwrap(subject, held.stored);
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
  for (const Row& row : *rows) {
    const auto key = wrap_.unwrap(row.account(0), bytes_of(row.text(1)));
    if (!key) return key.error();
    keys.emplace(row.account(0), *key);
  }
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

core::Result<PostgresSubjectKeys::Wrapped> PostgresSubjectKeys::wrap_anew(
    const std::optional<AccountId>& after) {
  const auto rows = database_.query(
      "SELECT subject, encode(key, 'hex') FROM subject_key WHERE key IS NOT NULL"
      " AND ($1::uuid IS NULL OR subject > $1::uuid) ORDER BY subject LIMIT $2",
      {after, kWrappedAtOnce});
  if (!rows) return rows.error();
  Wrapped wrapped;
  std::vector<AccountId> subjects;
  std::vector<std::string> before;
  std::vector<std::string> next;
  for (const Row& row : *rows) {
    const AccountId subject = row.account(0);
    const std::string stored = bytes_of(row.text(1));
    ++wrapped.seen;
    wrapped.last = subject;
    if (wrap_.is_current(stored)) continue;
    const auto key = wrap_.unwrap(subject, stored);
    if (!key) return key.error();
    const auto anew = wrap_.wrap(subject, *key);
    if (!anew) return anew.error();
    subjects.push_back(subject);
    before.push_back(row.text(1));
    next.push_back(hex_of(*anew));
  }
  wrapped.changed = subjects.size();
  const auto status = database_.transact([&](Transaction& transaction) {
    transaction.execute(
        "UPDATE subject_key AS held SET key = decode(anew.next, 'hex')"
        " FROM unnest($1::uuid[], $2::text[], $3::text[]) AS anew (subject, before, next)"
        " WHERE held.subject = anew.subject AND held.key = decode(anew.before, 'hex')",
        {subjects, before, next});
  });
  if (!status) return status.error();
  return wrapped;
}

}  // namespace tideline::postgres
