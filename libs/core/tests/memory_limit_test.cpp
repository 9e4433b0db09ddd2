#include "core/memory_limit.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tideline::core {
namespace {

class MemoryLimit : public ::testing::Test {
 protected:
  ~MemoryLimit() override { std::filesystem::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    const auto path = root_ / "sys/fs/cgroup" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("memory-limit." + std::to_string(getpid()));
  const std::size_t machine_ = memory_limit(root_);
};

TEST_F(MemoryLimit, WithoutAGroupIsTheMachines) { EXPECT_GT(machine_, std::size_t{64} << 20); }

TEST_F(MemoryLimit, IsThatOfTheGroupInBothVersions) {
  write("memory.max", "134217728\n");
  EXPECT_EQ(memory_limit(root_), 134217728);
  write("memory.max", "max\n");
  EXPECT_EQ(memory_limit(root_), machine_);
  write("memory/memory.limit_in_bytes", "67108864\n");
  EXPECT_EQ(memory_limit(root_), 67108864);
}

TEST_F(MemoryLimit, IsNoMoreThanThereIs) {
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(root_), machine_);
}

}  // namespace
}  // namespace tideline::core
