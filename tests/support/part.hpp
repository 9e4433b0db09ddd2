// One part of deploy/parts (postgres, kafka) in a temporary folder of its own. The folder and
// whatever runs in it are gone with the object, and also when the test process dies in any other
// way: a watchdog holds the end of a pipe to it.
//
// What fails ends the test binary with a message. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tideline::test_support {

// Different ports of 127.0.0.1 that were free a moment ago.
std::vector<int> free_ports(std::size_t count);

class Part {
 public:
  // `name`: of the script in deploy/parts. `root`: where the temporary folder is made.
  Part(std::string_view name, const std::string& root);
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // Calls the script with `arguments` and this folder; blocks until it has ended.
  void run(std::string_view arguments) const;
  // Keeps a copy of what is in subfolder `name`, in place of an earlier one; and puts it back.
  // Nothing may run on it meanwhile.
  void save(const std::string& name) const;
  void put_back(const std::string& name) const;
  const std::string& folder() const { return folder_; }
  // The first line of a file in the folder.
  std::string first_line(const std::string& file) const;

 private:
  void copy(const std::string& from, const std::string& to) const;

  std::string script_;
  std::string folder_;
  int watchdog_pipe_ = -1;
  int watchdog_pid_ = -1;
};

}  // namespace tideline::test_support
