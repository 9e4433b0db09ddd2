// Threads with a client each that work through numbered jobs under one progress bar.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "demo/client.hpp"

namespace tideline::demo {

class WorkerPool {
 public:
  WorkerPool(Endpoint endpoint, std::size_t thread_count, Traffic& traffic);

  // Calls `job` for 0 .. count-1, in any order, from several threads at once (at most
  // `thread_count`, 0 = all). The first UnexpectedAnswer stops the workers and is thrown again
  // here. Prints how far it is (progress.hpp). A job is one unit of it; where jobs are of many
  // units, `units` says how many there are in all, and the jobs call step() for each.
  void work(const std::string& title, std::size_t count,
            const std::function<void(Client&, std::size_t)>& job, std::size_t thread_count = 0,
            std::size_t units = 0);
  void step() { ++done_; }

  Client& first() { return *clients_.front(); }

 private:
  std::vector<std::unique_ptr<Client>> clients_;
  std::atomic<std::size_t> done_{0};  // units of the work at hand
};

}  // namespace tideline::demo
