// Reads mentions and reposts back, and compares with the oracle. Throws UnexpectedAnswer
// with the first difference.
#pragma once

#include <cstddef>
#include <vector>

#include "demo/campus.hpp"

namespace tideline::demo {

// Each of `people` is told of the moments that mention him and that he may see. Returns how many.
std::size_t verify_mentions(WorkerPool& workers, Campus& campus,
                            const std::vector<PersonIndex>& people);

// A repost shows its original to who may see that now. Returns how many were read.
std::size_t verify_reposts(WorkerPool& workers, Campus& campus,
                           const std::vector<PersonIndex>& people);

}  // namespace tideline::demo
