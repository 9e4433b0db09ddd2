// What an index holds in place of terms: 64 bits of a keyed hash. Who has no secret learns nothing
// of a text from them, and two texts of one word have one key, whoever wrote them. Two words of one
// key only make a candidate that is looked at again.
//
// A key can be kept in a scope, which says for whom or of when a text is: an exclusive or, which
// SQL makes. An index of such keys is asked for a word and a scope at once, and finds nothing of
// other scopes. A scope is a number that is spread over 64 bits; it is no secret.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/events/text_sealer.hpp"

namespace tideline::search {

class TermKeys {
 public:
  // The sealer must outlive it. `context` is part of the data format: equal terms of two contexts
  // have two keys.
  TermKeys(const eventsourcing::TextSealer& sealer, std::string context)
      : sealer_(sealer), context_(std::move(context)) {}

  std::int64_t of(std::string_view term) const;
  std::vector<std::int64_t> of(const std::vector<std::string>& terms) const;

 private:
  const eventsourcing::TextSealer& sealer_;
  std::string context_;
};

}  // namespace tideline::search
