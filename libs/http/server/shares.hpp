// Inside libs/http: how much of something each of many holds, and nobody more than a share.
// Thread-safe.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tideline::http {

class Shares {
 public:
  explicit Shares(std::size_t share) : share_(share) {}

  // False: `holder` has its share already.
  bool take(const std::string& holder);
  // What was taken.
  void give_back(const std::string& holder);

 private:
  const std::size_t share_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> held_;  // by those who hold any
};

}  // namespace tideline::http
