// Reads reposts and polls back, and compares with the oracle. Throws UnexpectedAnswer
// with the first difference.
#pragma once

#include <cstddef>
#include <vector>

#include "demo/campus.hpp"

namespace tideline::demo {

// A repost shows its original to who may see that now. Returns how many were read.
std::size_t verify_reposts(WorkerPool& workers, Campus& campus,
                           const std::vector<PersonIndex>& people);

// Who has voted, or asked, sees the sum of all votes, and nobody else. Returns how many were read.
std::size_t verify_polls(WorkerPool& workers, Campus& campus,
                         const std::vector<PersonIndex>& people);

}  // namespace tideline::demo
