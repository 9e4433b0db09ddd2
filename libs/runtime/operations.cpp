#include "runtime/operations.hpp"

namespace tideline::runtime {

std::vector<Operation> operations() { return {}; }

}  // namespace tideline::runtime
