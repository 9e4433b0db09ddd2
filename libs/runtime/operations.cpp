#include "runtime/operations.hpp"

#include "runtime/dead_letter_operation.hpp"
#include "runtime/migrate_operation.hpp"
#include "runtime/rebuild_operation.hpp"
#include "runtime/recover_operation.hpp"
#include "runtime/wrap_keys_operation.hpp"

namespace tideline::runtime {

std::vector<Operation> operations() {
  return {dead_letter_operation(), migrate_operation(), rebuild_operation(), recover_operation(),
          wrap_keys_operation()};
}

}  // namespace tideline::runtime
