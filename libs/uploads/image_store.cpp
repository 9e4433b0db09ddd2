#include "uploads/image_store.hpp"

#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::uploads {
namespace {

constexpr const char* kRenditionType = "image/webp";

std::optional<std::string> hex_of(const std::optional<std::string>& bytes) {
  if (!bytes) return std::nullopt;
  return core::to_hex(core::as_bytes(*bytes));
}

// The row may have gone since, with its owner's account.
void put_beside(sql::Transaction& transaction, const core::AccountId& owner,
                const std::string& hash, const images::Renditions& made) {
  transaction.execute(
      "UPDATE upload SET width = $3, height = $4, blurhash = $5, medium = decode($6, 'hex'),"
      " small = decode($7, 'hex') WHERE owner = $1 AND hash = $2 AND width IS NULL",
      {owner, hash, made.width, made.height, made.blurhash, hex_of(made.medium),
       hex_of(made.small)});
}

std::optional<Content> find_smaller(sql::Transaction& transaction, const core::AccountId& owner,
                                    const std::string& hash, ImageSize size) {
  const std::string column = size == ImageSize::Small ? "coalesce(small, medium)" : "medium";
  const auto rows = transaction.execute(
      "SELECT encode(" + column + ", 'hex') FROM upload WHERE owner = $1 AND hash = $2 AND " +
          column +
          " IS NOT NULL AND NOT EXISTS (SELECT FROM person WHERE account_id = $1 AND closed)",
      {owner, hash});
  if (rows.empty()) return std::nullopt;
  const auto bytes = core::from_hex(rows[0].text(0));
  CHECK(bytes.has_value(), "PostgreSQL writes hexadecimal digits");
  return Content{kRenditionType, std::string(bytes->begin(), bytes->end())};
}

}  // namespace

Content large_content(const images::Renditions& made) { return {kRenditionType, made.large}; }

core::Result<bool> TableImageStore::put(const core::AccountId& owner,
                                        const images::Renditions& made) {
  const Content large = large_content(made);
  auto stored = contents_.put(owner, large);
  if (!stored || !*stored) return stored;
  const std::string hash = hash_of(large.bytes);
  const auto status = database_.transact(
      [&](sql::Transaction& transaction) { put_beside(transaction, owner, hash, made); });
  if (!status) return status.error();
  return stored;
}

core::Result<std::optional<Content>> TableImageStore::find(const core::AccountId& owner,
                                                           const std::string& hash,
                                                           ImageSize size) {
  if (size != ImageSize::Large) {
    auto smaller = database_.read_each_alone([&](sql::Transaction& transaction) {
      return find_smaller(transaction, owner, hash, size);
    });
    if (!smaller || *smaller) return smaller;
  }
  return contents_.find(owner, hash);
}

core::Result<ImageStore::Previews> TableImageStore::previews(std::span<const ImageName> names) {
  if (names.empty()) return Previews();
  std::vector<core::AccountId> owners;
  std::vector<std::string> hashes;
  for (const ImageName& name : names) {
    owners.push_back(name.owner);
    hashes.push_back(name.hash);
  }
  return database_.read_each_alone([&](sql::Transaction& transaction) {
    Previews found;
    // One look into the index of one partition for each name, whatever the planner thinks of them.
    for (const auto& row : transaction.execute(
             "SELECT owner, hash, width, height, blurhash"
             " FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[])) AS named (of, under)"
             " CROSS JOIN LATERAL (SELECT owner, hash, width, height, blurhash FROM upload"
             " WHERE owner = named.of AND hash = named.under AND width IS NOT NULL LIMIT 1) AS one",
             {owners, hashes})) {
      found.emplace(ImageName{row.account(0), row.text(1)},
                    ImagePreview{static_cast<std::uint32_t>(row.integer(2)),
                                 static_cast<std::uint32_t>(row.integer(3)), row.text(4)});
    }
    return found;
  });
}

// Empty in rows of before, and of programs of before. WebP is compressed already.
const char* const kUploadImageSql = R"sql(
ALTER TABLE upload
  ADD COLUMN width integer,
  ADD COLUMN height integer,
  ADD COLUMN blurhash text,
  ADD COLUMN medium bytea,
  ADD COLUMN small bytea;
ALTER TABLE upload ALTER COLUMN medium SET STORAGE EXTERNAL;
ALTER TABLE upload ALTER COLUMN small SET STORAGE EXTERNAL;
)sql";

}  // namespace tideline::uploads
