#include "uploads/content_store.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "crypto/digest.hpp"

namespace tideline::uploads {

using core::AccountId;
using sql::Transaction;

std::string hash_of(std::string_view bytes) { return crypto::sha256_hex(bytes); }

bool is_content_hash(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

std::int64_t used_bytes(Transaction& transaction, const AccountId& owner, const std::string& hash) {
  const auto used = transaction.execute(
      "SELECT ((SELECT coalesce(sum(size), 0) FROM upload WHERE owner = $1 AND hash <> $2)"
      " + (SELECT coalesce(sum(size), 0) FROM large_upload WHERE owner = $1 AND hash <> $2))"
      "::bigint",
      {owner, hash});
  return used.at(0).integer(0);
}

core::Result<bool> TableContentStore::put(const AccountId& owner, const Content& content) {
  const std::string hash = hash_of(content.bytes);
  const auto size = static_cast<std::int64_t>(content.bytes.size());
  bool stored = false;
  const auto status = database_.transact([&](Transaction& transaction) {
    stored = used_bytes(transaction, owner, hash) + size <= bytes_per_owner_max_;
    if (!stored) return;
    transaction.execute(
        "INSERT INTO upload (owner, hash, media_type, size, bytes, held_at)"
        " VALUES ($1, $2, $3, $4, decode($5, 'hex'), now())"
        " ON CONFLICT (owner, hash) DO UPDATE SET held_at = now()",
        {owner, hash, content.media_type, size, core::to_hex(core::as_bytes(content.bytes))});
  });
  if (!status) return status.error();
  return stored;
}

core::Result<bool> TableContentStore::hold(const AccountId& owner,
                                           std::span<const std::string> hashes) {
  // In one order, so that two of the owner's commands do not wait for each other in a circle.
  std::vector<std::string> wanted(hashes.begin(), hashes.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  bool all = true;
  const auto status = database_.transact([&](Transaction& transaction) {
    for (const std::string& hash : wanted) {
      const auto held = transaction.execute(
          "UPDATE upload SET held_at = now() WHERE owner = $1 AND hash = $2 RETURNING hash",
          {owner, hash});
      all = all && !held.empty();
    }
  });
  if (!status) return status.error();
  return all;
}

core::Result<std::optional<Content>> TableContentStore::find(const AccountId& owner,
                                                             const std::string& hash) {
  return database_.read_each_alone([&](Transaction& transaction) -> std::optional<Content> {
    const auto rows = transaction.execute(
        "SELECT media_type, encode(bytes, 'hex') FROM upload WHERE owner = $1 AND hash = $2"
        " AND NOT EXISTS (SELECT FROM person WHERE account_id = $1 AND closed)",
        {owner, hash});
    if (rows.empty()) return std::nullopt;
    const auto bytes = core::from_hex(rows[0].text(1));
    CHECK(bytes.has_value(), "PostgreSQL writes hexadecimal digits");
    return Content{rows[0].text(0), std::string(bytes->begin(), bytes->end())};
  });
}

core::Result<std::int64_t> sweep(sql::Database& database, const References& references) {
  std::int64_t gone = 0;
  const auto status = database.transact([&](Transaction& transaction) {
    gone = 0;
    const auto delete_where = [&](const std::string& table, const std::string& which) {
      const auto rows = transaction.execute("WITH gone AS (DELETE FROM " + table + " WHERE " +
                                            which + " RETURNING 1) SELECT count(*) FROM gone");
      gone += rows.at(0).integer(0);
    };
    for (const char* table : kUploadTables) {
      delete_where(table, "owner IN (SELECT account_id FROM person WHERE closed)");
    }
    const auto parked = transaction.execute(
        "SELECT EXISTS (SELECT FROM dead_letter WHERE projection = $1)", {references.projection});
    if (parked.at(0).boolean(0)) return;
    for (const std::string table : kUploadTables) {
      delete_where(table, "held_at < now() - interval '1 day' AND NOT EXISTS (SELECT FROM (" +
                              references.sql + ") AS named (owner, hash) WHERE named.owner = " +
                              table + ".owner AND named.hash = " + table + ".hash)");
    }
  });
  if (!status) return status.error();
  return gone;
}

// What is uploaded is compressed already, so it is stored as it is.
const char* const kUploadTableSql = R"sql(
CREATE TABLE upload (
  owner uuid NOT NULL,
  hash text COLLATE "C" NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  bytes bytea NOT NULL,
  held_at timestamptz NOT NULL,
  PRIMARY KEY (owner, hash)
) PARTITION BY HASH (owner);
ALTER TABLE upload ALTER COLUMN bytes SET STORAGE EXTERNAL;
DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE upload_%s PARTITION OF upload FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;
)sql";

}  // namespace tideline::uploads
