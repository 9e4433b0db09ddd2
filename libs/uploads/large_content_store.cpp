#include "uploads/large_content_store.hpp"

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::uploads {
namespace {

using sql::Transaction;

void insert_pieces(Transaction& transaction, const core::AccountId& owner, const std::string& hash,
                   std::string_view bytes) {
  for (std::size_t at = 0, number = 0; at < bytes.size(); at += kPieceBytes, ++number) {
    transaction.execute(
        "INSERT INTO upload_piece (owner, hash, number, bytes)"
        " VALUES ($1, $2, $3, decode($4, 'hex'))",
        {owner, hash, static_cast<std::int64_t>(number),
         core::to_hex(core::as_bytes(bytes.substr(at, kPieceBytes)))});
  }
}

}  // namespace

// Its pieces are there once the row is: both come in one transaction, and the second of two at once
// waits for the first.
core::Result<bool> TableLargeContentStore::put(const core::AccountId& owner,
                                               const std::string& hash, std::string_view media_type,
                                               std::string_view bytes) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  bool stored = false;
  const auto status = database_.transact([&](Transaction& transaction) {
    stored = !transaction
                  .execute(
                      "UPDATE large_upload SET held_at = now() WHERE owner = $1 AND hash = $2"
                      " RETURNING hash",
                      {owner, hash})
                  .empty();
    if (stored) return;
    stored = used_bytes(transaction, owner, hash) + size <= bytes_per_owner_max_;
    if (!stored) return;
    const auto added = transaction.execute(
        "INSERT INTO large_upload (owner, hash, media_type, size, held_at)"
        " VALUES ($1, $2, $3, $4, now()) ON CONFLICT (owner, hash) DO NOTHING RETURNING hash",
        {owner, hash, std::string(media_type), size});
    if (!added.empty()) insert_pieces(transaction, owner, hash, bytes);
  });
  if (!status) return status.error();
  return stored;
}

core::Result<std::optional<LargeContent>> TableLargeContentStore::find(const core::AccountId& owner,
                                                                       const std::string& hash) {
  return database_.read_each_alone([&](Transaction& transaction) -> std::optional<LargeContent> {
    const auto rows = transaction.execute(
        "SELECT media_type, size FROM large_upload WHERE owner = $1 AND hash = $2"
        " AND NOT EXISTS (SELECT FROM person WHERE account_id = $1 AND closed)",
        {owner, hash});
    if (rows.empty()) return std::nullopt;
    return LargeContent{rows[0].text(0), rows[0].integer(1)};
  });
}

core::Result<std::string> TableLargeContentStore::read(const core::AccountId& owner,
                                                       const std::string& hash,
                                                       std::uint64_t offset) {
  return database_.read_each_alone([&](Transaction& transaction) -> std::string {
    const auto rows = transaction.execute(
        "SELECT encode(bytes, 'hex') FROM upload_piece WHERE owner = $1 AND hash = $2"
        " AND number = $3 AND NOT EXISTS (SELECT FROM person WHERE account_id = $1 AND closed)",
        {owner, hash, static_cast<std::int64_t>(offset / kPieceBytes)});
    if (rows.empty()) return {};
    const auto bytes = core::from_hex(rows[0].text(0));
    CHECK(bytes.has_value(), "PostgreSQL writes hexadecimal digits");
    const std::size_t begin = offset % kPieceBytes;
    if (begin >= bytes->size()) return {};
    return {bytes->begin() + static_cast<std::ptrdiff_t>(begin), bytes->end()};
  });
}

// What is uploaded is compressed already, so it is stored as it is.
const char* const kLargeUploadTableSql = R"sql(
CREATE TABLE large_upload (
  owner uuid NOT NULL,
  hash text COLLATE "C" NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  held_at timestamptz NOT NULL,
  PRIMARY KEY (owner, hash)
) PARTITION BY HASH (owner);
CREATE TABLE upload_piece (
  owner uuid NOT NULL,
  hash text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (owner, hash, number)
) PARTITION BY HASH (owner);
ALTER TABLE upload_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE large_upload_%s PARTITION OF large_upload FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
    EXECUTE format(
      'CREATE TABLE upload_piece_%s PARTITION OF upload_piece FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      i, i);
    -- Of each pair alone: partitions of one owner are the same ones.
    EXECUTE format(
      'ALTER TABLE upload_piece_%s ADD FOREIGN KEY (owner, hash) REFERENCES large_upload_%s ON DELETE CASCADE',
      i, i);
  END LOOP;
END $$;
)sql";

}  // namespace tideline::uploads
