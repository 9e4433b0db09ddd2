// Pictures of people as they are shown: the largest size is an upload like any other, under its own
// hash, and the smaller ones lie beside it. An event names that hash and nothing else, so holding
// and sweeping know uploads alone, and what lies beside one goes with it.
//
// Uploads of before there were sizes have themselves for each size, and no preview.
//
// Thread-safe; every call blocks on the database.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "core/result.hpp"
#include "images/renditions.hpp"
#include "sql/transaction.hpp"
#include "uploads/content_store.hpp"

namespace tideline::uploads {

enum class ImageSize { Small, Medium, Large };

struct ImageName {
  core::AccountId owner;
  std::string hash;  // of the large size
  friend auto operator<=>(const ImageName&, const ImageName&) = default;
};

// What a client draws before it has the picture.
struct ImagePreview {
  std::uint32_t width = 0;  // of the large size, pixels
  std::uint32_t height = 0;
  std::string blurhash;
  friend bool operator==(const ImagePreview&, const ImagePreview&) = default;
};

class ImageStore {
 public:
  using Previews = std::map<ImageName, ImagePreview>;

  virtual ~ImageStore() = default;

  // ContentStore::put() of the large size, with the others beside it.
  virtual core::Result<bool> put(const core::AccountId& owner, const images::Renditions& made) = 0;
  // The nearest size that is not smaller; else as ContentStore::find().
  virtual core::Result<std::optional<Content>> find(const core::AccountId& owner,
                                                    const std::string& hash, ImageSize size) = 0;
  // Of those of `names` that have one.
  virtual core::Result<Previews> previews(std::span<const ImageName> names) = 0;
};

// "image/webp", which every rendition is.
Content large_content(const images::Renditions& made);

// In further columns of the table `upload`.
class TableImageStore final : public ImageStore {
 public:
  // Both must outlive this. `contents` keeps the large size in the same database.
  TableImageStore(sql::Database& database, ContentStore& contents)
      : database_(database), contents_(contents) {}

  core::Result<bool> put(const core::AccountId& owner, const images::Renditions& made) override;
  core::Result<std::optional<Content>> find(const core::AccountId& owner, const std::string& hash,
                                            ImageSize size) override;
  core::Result<Previews> previews(std::span<const ImageName> names) override;

 private:
  sql::Database& database_;
  ContentStore& contents_;
};

// The columns. Run by the runtime's migrations, after kUploadTableSql.
extern const char* const kUploadImageSql;

}  // namespace tideline::uploads
