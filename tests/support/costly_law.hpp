// Laws whose trials ask real servers: each costs tenths of a second.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace tideline::test_support {

// Whether the law holds in `trials` trials, or in TIDELINE_TRIALS=n. RC_PARAMS="seed=..." repeats
// a failure, as of other laws.
template <class Trial>
bool holds(const std::string& law, int trials, const Trial& trial) {
  const char* wanted = std::getenv("TIDELINE_TRIALS");
  auto params = rc::detail::configuration().testParams;
  params.maxSuccess = wanted == nullptr ? trials : std::atoi(wanted);
  const auto result = rc::detail::checkTestable(trial, rc::detail::TestMetadata{law, law}, params);
  std::cerr << law << ", seed " << params.seed << ": ";
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << '\n';
  return result.template is<rc::detail::SuccessResult>();
}

}  // namespace tideline::test_support
