// Random values of core's types for rapidcheck.
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "core/ids.hpp"

namespace tideline::core {

inline std::ostream& operator<<(std::ostream& out, const AccountId& id) {
  return out << id.to_string();
}

}  // namespace tideline::core

namespace rc {

template <>
struct Arbitrary<tideline::core::AccountId> {
  static Gen<tideline::core::AccountId> arbitrary() {
    return gen::map(gen::arbitrary<tideline::core::AccountId::Bytes>(),
                    [](const auto& bytes) { return tideline::core::AccountId(bytes); });
  }
};

}  // namespace rc
