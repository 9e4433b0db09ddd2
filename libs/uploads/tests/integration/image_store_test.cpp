// What every ImageStore does, on each; and the rows of programs of before.
#include "uploads/image_store.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "postgres/connections/database.hpp"
#include "uploads/image_store_in_memory.hpp"
#include "uploads/tests/integration/upload_database.hpp"

namespace tideline::uploads {
namespace {

const core::AccountId kAda({1});
const core::AccountId kBob({2});

class ImageStoreTest : public ::testing::TestWithParam<bool> {
 protected:
  ImageStoreTest() : database(uploads::testing::upload_database()) {
    if (GetParam()) {
      store = std::make_unique<TableImageStore>(database, contents);
    } else {
      store = std::make_unique<InMemoryImageStore>(contents);
    }
  }

  std::string put(const core::AccountId& owner, const images::Renditions& made) {
    const auto stored = store->put(owner, made);
    EXPECT_TRUE(stored.ok() && *stored);
    return hash_of(made.large);
  }
  // "" where there is none.
  std::string bytes(const core::AccountId& owner, const std::string& hash, ImageSize size) {
    const auto found = store->find(owner, hash, size);
    EXPECT_TRUE(found.ok());
    if (!found.ok() || !*found) return "";
    EXPECT_EQ((*found)->media_type, "image/webp");
    return (*found)->bytes;
  }

  const images::Renditions three{.large = std::string("large\0\xff", 7),
                                 .medium = "medium",
                                 .small = "small",
                                 .width = 2048,
                                 .height = 3,
                                 .blurhash = "L00000"};
  postgres::PooledDatabase database;
  TableContentStore contents{database, 1'000'000};
  std::unique_ptr<ImageStore> store;
};

TEST_P(ImageStoreTest, EachSizeComesBackAsItWas) {
  const std::string hash = put(kAda, three);
  EXPECT_EQ(put(kAda, three), hash) << "a second time is the same upload";
  EXPECT_EQ(bytes(kAda, hash, ImageSize::Large), three.large);
  EXPECT_EQ(bytes(kAda, hash, ImageSize::Medium), "medium");
  EXPECT_EQ(bytes(kAda, hash, ImageSize::Small), "small");
  EXPECT_EQ(bytes(kBob, hash, ImageSize::Small), "") << "another's hash is no right";
  EXPECT_EQ(bytes(kAda, hash_of("other"), ImageSize::Small), "");
}

TEST_P(ImageStoreTest, ASizeThatIsNotThereIsTheNextLarger) {
  const std::string no_medium = put(kAda, {"no medium", std::nullopt, "small", 300, 1, "L"});
  EXPECT_EQ(bytes(kAda, no_medium, ImageSize::Medium), "no medium");
  EXPECT_EQ(bytes(kAda, no_medium, ImageSize::Small), "small");
  const std::string only = put(kAda, {"only", std::nullopt, std::nullopt, 1, 1, "L"});
  EXPECT_EQ(bytes(kAda, only, ImageSize::Small), "only");
}

TEST_P(ImageStoreTest, PreviewsAreOfThoseThatHaveOne) {
  const std::string hash = put(kAda, three);
  ASSERT_TRUE(*contents.put(kAda, {"image/png", "of before"}));
  const ImageName name{kAda, hash};
  const auto found = store->previews(
      std::array{name, ImageName{kBob, hash}, name, ImageName{kAda, hash_of("of before")}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, (ImageStore::Previews{{name, {2048, 3, "L00000"}}}));
  EXPECT_TRUE(store->previews({})->empty());
}

TEST_P(ImageStoreTest, AnUploadOfBeforeIsItselfInEverySize) {
  ASSERT_TRUE(*contents.put(kAda, {"image/webp", "of before"}));
  for (const auto size : {ImageSize::Small, ImageSize::Medium, ImageSize::Large}) {
    EXPECT_EQ(bytes(kAda, hash_of("of before"), size), "of before");
  }
}

TEST_P(ImageStoreTest, WhereThereIsNoSpaceNothingIsKept) {
  images::Renditions large = three;
  large.large = std::string(1'000'001, 'x');
  EXPECT_EQ(*store->put(kAda, large), false);
  EXPECT_EQ(bytes(kAda, hash_of(large.large), ImageSize::Small), "");
}

TEST_P(ImageStoreTest, TheSmallSizesOfClosedAccountsAreNotFound) {
  const std::string hash = put(kAda, three);
  const auto closed = database.transact([](sql::Transaction& transaction) {
    transaction.execute("INSERT INTO person (account_id, closed) VALUES ($1, true)", {kAda});
  });
  ASSERT_TRUE(closed.ok());
  EXPECT_EQ(bytes(kAda, hash, ImageSize::Small), "");
}

INSTANTIATE_TEST_SUITE_P(Adapters, ImageStoreTest, ::testing::Values(true, false),
                         [](const auto& adapter) { return adapter.param ? "Table" : "InMemory"; });

}  // namespace
}  // namespace tideline::uploads
