#include "runtime/swept_uploads.hpp"

#include <chrono>
#include <utility>

#include "uploads/image_store.hpp"
#include "uploads/large_content_store.hpp"
#include "uploads/sweeper.hpp"

namespace tideline::runtime {
namespace {

constexpr std::chrono::hours kSweepInterval{1};

}  // namespace

uploads::ContentStore& add_uploads(ServiceContext& context, std::string_view projection,
                                   std::string references) {
  const auto report = [log = context.log("uploads")](const core::Result<std::int64_t>& swept) {
    if (!swept) return log.warning("no sweep", {{"reason", swept.error().message}});
    if (*swept > 0) log.info("swept", {{"uploads", *swept}});
  };
  uploads::SweeperPorts ports{context.database(),
                              context.status_of(projection),
                              {std::string(projection), std::move(references)},
                              report};
  context.add_background("uploads", [ports = std::move(ports)](std::stop_token stop) {
    uploads::keep_swept(ports, kSweepInterval, std::move(stop));
  });
  return context.make<uploads::TableContentStore>(context.database());
}

postgres::MigrationSet upload_migrations() {
  return {"uploads",
          {{1, "upload", uploads::kUploadTableSql},
           {2, "upload_image", uploads::kUploadImageSql},
           {3, "large_upload", uploads::kLargeUploadTableSql}}};
}

std::vector<std::string> upload_tables() {
  return {uploads::kUploadTables.begin(), uploads::kUploadTables.end()};
}

}  // namespace tideline::runtime
