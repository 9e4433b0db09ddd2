#include "runtime/wrap_keys_operation.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "runtime/composition.hpp"

namespace tideline::runtime {
namespace {

int operate(RunningService& service, const std::stop_token& stop) {
  std::size_t seen = 0;
  std::size_t changed = 0;
  std::optional<core::AccountId> after;
  while (!stop.stop_requested()) {
    const auto wrapped = service.subject_keys().wrap_anew(after);
    if (!wrapped) {
      std::fprintf(stderr, "wrap-keys: %s\n", wrapped.error().message.c_str());
      return 1;
    }
    seen += wrapped->seen;
    changed += wrapped->changed;
    after = wrapped->last;
    if (!after) break;
  }
  std::printf("%zu of %zu keys were wrapped anew\n", changed, seen);
  return stop.stop_requested() ? 1 : 0;
}

}  // namespace

Operation wrap_keys_operation() {
  return {"wrap-keys", "wrap the keys of subjects by the last of TIDELINE_WRAPPING_KEYS",
          [](CLI::App&) -> Operation::Run {
            return [](RunningService& service, std::stop_token stop) {
              return operate(service, stop);
            };
          }};
}

}  // namespace tideline::runtime
