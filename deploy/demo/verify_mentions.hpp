// Reads the notifications of mentions back, and compares with the oracle. Throws UnexpectedAnswer
// with the first difference.
#pragma once

#include <cstddef>
#include <vector>

#include "demo/campus.hpp"

namespace tideline::demo {

// Each of `people` is told of the moments that mention him and that he may see. Returns how many.
std::size_t verify_mentions(WorkerPool& workers, Campus& campus,
                            const std::vector<PersonIndex>& people);

}  // namespace tideline::demo
