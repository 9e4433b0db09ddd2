#include "runtime/operations.hpp"

#include "runtime/rebuild_operation.hpp"

namespace tideline::runtime {

std::vector<Operation> operations() { return {rebuild_operation()}; }

}  // namespace tideline::runtime
