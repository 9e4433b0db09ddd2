// Uploads that are too large for one value of a table: kept in pieces, and read a piece at a time.
//
// They lie under their owner and their hash like all others, in tables of their own: `large_upload`
// and `upload_piece`. They are not in `upload`, where a program of before would find a row without
// its bytes. What holds for uploads (content_store.hpp) holds for them: the space of an owner, the
// day of being held, the sweep, the end with the account.
//
// Thread-safe; every call blocks on the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "sql/transaction.hpp"
#include "uploads/content_store.hpp"

namespace tideline::uploads {

// Of one piece in the table, but for the last.
constexpr std::size_t kPieceBytes = 256 * 1024;

struct LargeContent {
  std::string media_type;
  std::int64_t size = 0;
};

class LargeContentStore {
 public:
  virtual ~LargeContentStore() = default;

  // As ContentStore::put(), under `hash`, which is hash_of(bytes).
  virtual core::Result<bool> put(const core::AccountId& owner, const std::string& hash,
                                 std::string_view media_type, std::string_view bytes) = 0;
  // As ContentStore::find(), without its bytes.
  virtual core::Result<std::optional<LargeContent>> find(const core::AccountId& owner,
                                                         const std::string& hash) = 0;
  // From `offset` to the end of its piece. Empty: there is nothing, or nothing any more.
  virtual core::Result<std::string> read(const core::AccountId& owner, const std::string& hash,
                                         std::uint64_t offset) = 0;
};

class TableLargeContentStore final : public LargeContentStore {
 public:
  // `database` must outlive this, the same as of the TableContentStore beside it: an owner has the
  // space for both together.
  explicit TableLargeContentStore(sql::Database& database, std::int64_t bytes_per_owner_max =
                                                               TableContentStore::kBytesPerOwnerMax)
      : database_(database), bytes_per_owner_max_(bytes_per_owner_max) {}

  core::Result<bool> put(const core::AccountId& owner, const std::string& hash,
                         std::string_view media_type, std::string_view bytes) override;
  core::Result<std::optional<LargeContent>> find(const core::AccountId& owner,
                                                 const std::string& hash) override;
  core::Result<std::string> read(const core::AccountId& owner, const std::string& hash,
                                 std::uint64_t offset) override;

 private:
  sql::Database& database_;
  const std::int64_t bytes_per_owner_max_;
};

// Hash-partitioned by owner. Run by the runtime's migrations, after kUploadTableSql.
extern const char* const kLargeUploadTableSql;

}  // namespace tideline::uploads
