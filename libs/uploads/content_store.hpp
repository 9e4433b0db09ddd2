// Where uploaded bytes lie: under who uploaded them and the hash of what they are, never under a
// name that somebody gave them.
//
// A hash is no right: who may read what is for the routes to say, and they ask with the owner. So
// the same bytes of two people are two uploads, each can go without the other, and nobody gets at
// another's by naming their hash as his own.
//
// Bytes never travel in events, which carry the hash alone. An upload comes before the event that
// names it and is idempotent; what no event has named within a day is swept, and so is what is
// named no longer, and all of a closed account.
//
// Thread-safe; every call blocks on the database.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "sql/transaction.hpp"

namespace tideline::uploads {

struct Content {
  std::string media_type;  // found by its bytes, "image/png"
  std::string bytes;
};

// With one row of each upload, under its owner. What belongs to a row goes with it.
inline constexpr std::array kUploadTables{"upload", "large_upload"};

// SHA-256 in lower-case hexadecimal digits.
std::string hash_of(std::string_view bytes);
// Whether hash_of() may have made it.
bool is_content_hash(std::string_view text);

class ContentStore {
 public:
  virtual ~ContentStore() = default;

  // True: it is there, under hash_of(content.bytes), for a day at least. False: nothing was stored,
  // the owner's space is used up.
  virtual core::Result<bool> put(const core::AccountId& owner, const Content& content) = 0;
  // Whether the owner has uploaded all of these; each is there for another day at least, so that
  // an event may name it now.
  virtual core::Result<bool> hold(const core::AccountId& owner,
                                  std::span<const std::string> hashes) = 0;
  // nullopt: there is no such upload, or the owner's account is closed.
  virtual core::Result<std::optional<Content>> find(const core::AccountId& owner,
                                                    const std::string& hash) = 0;
};

// In the table `upload` of the service's own database, which all replicas share.
class TableContentStore final : public ContentStore {
 public:
  static constexpr std::int64_t kBytesPerOwnerMax = 256LL * 1024 * 1024;

  // `database` must outlive this. What lies in pieces (large_content_store.hpp) counts in the same
  // space. The space of an owner is a bound for abuse, not an account of
  // it: uploads at the same time may exceed it by their own size.
  explicit TableContentStore(sql::Database& database,
                             std::int64_t bytes_per_owner_max = kBytesPerOwnerMax)
      : database_(database), bytes_per_owner_max_(bytes_per_owner_max) {}

  core::Result<bool> put(const core::AccountId& owner, const Content& content) override;
  core::Result<bool> hold(const core::AccountId& owner,
                          std::span<const std::string> hashes) override;
  core::Result<std::optional<Content>> find(const core::AccountId& owner,
                                            const std::string& hash) override;

 private:
  sql::Database& database_;
  const std::int64_t bytes_per_owner_max_;
};

// What the owner's uploads take in both stores, but for the one of this hash.
std::int64_t used_bytes(sql::Transaction& transaction, const core::AccountId& owner,
                        const std::string& hash);

// The uploads that events have named, as a read model of the same database knows them.
struct References {
  std::string projection;  // that writes it
  std::string sql;         // a query of it: (owner uuid, hash text)
};

// Of both stores: deletes what was held last more than a day ago and nothing refers to, but nothing
// of that while the projection has parked events, any replica's, which may name it; and all that
// closed accounts have uploaded (table person of libs/people). How many went.
core::Result<std::int64_t> sweep(sql::Database& database, const References& references);

// Hash-partitioned by owner. Run by the runtime's migrations.
extern const char* const kUploadTableSql;

}  // namespace tideline::uploads
