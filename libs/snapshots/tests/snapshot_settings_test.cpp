#include "snapshots/snapshot_settings.hpp"

#include <gtest/gtest.h>

#include "crypto/tests/temporary_folder.hpp"

namespace tideline::snapshots {
namespace {

SnapshotSettings read(const std::string& text, std::size_t mistakes = 0) {
  const char* const no_environment[] = {nullptr};
  core::Config config(text, no_environment);
  SnapshotSettings settings = SnapshotSettings::read(config, "FEED", "feed-");
  EXPECT_EQ(config.mistakes().size(), mistakes);
  return settings;
}

TEST(SnapshotSettingsTest, AreNoneByDefault) {
  const SnapshotSettings settings = read("");
  EXPECT_FALSE(settings.folder.is_there());
  EXPECT_EQ(settings.interval, std::chrono::seconds(600));
  EXPECT_EQ(settings.kept, 2U);
  EXPECT_EQ(settings.folder_key, "TIDELINE_FEED_SNAPSHOT_FOLDER");
}

TEST(SnapshotSettingsTest, AreThoseOfTheService) {
  const crypto::TemporaryFolder place;
  const SnapshotSettings settings = read("TIDELINE_FEED_SNAPSHOT_FOLDER=" + place.path().string() +
                                         "\nTIDELINE_FEED_SNAPSHOT_INTERVAL_S=60"
                                         "\nTIDELINE_FEED_SNAPSHOTS_KEPT=5");
  EXPECT_TRUE(settings.folder.is_there());
  EXPECT_EQ(settings.folder.file_of(core::Timestamp()).filename(),
            "feed-00000000000000000000.snapshot");
  EXPECT_EQ(settings.interval, std::chrono::seconds(60));
  EXPECT_EQ(settings.kept, 5U);
}

TEST(SnapshotSettingsTest, AFolderHasToBeThere) {
  read("TIDELINE_FEED_SNAPSHOT_FOLDER=/no/such/folder", 1);
  read("TIDELINE_FEED_SNAPSHOT_INTERVAL_S=9\nTIDELINE_FEED_SNAPSHOTS_KEPT=0", 2);
}

}  // namespace
}  // namespace tideline::snapshots
