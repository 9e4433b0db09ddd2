// Ids of the streams of random histories.
#pragma once

#include <string>

#include "core/ids.hpp"

namespace tideline::feed::testing {

// A stream of another service: its key is the other's business, here it only has to be its own.
template <class... Ids>
core::StreamId stream_of(const std::string& kind, const Ids&... ids) {
  const auto text = [](const auto& id) -> std::string {
    if constexpr (requires { id.to_string(); })
      return id.to_string();
    else
      return id;
  };
  return core::StreamId((kind + ... + ("-" + text(ids))));
}

}  // namespace tideline::feed::testing
