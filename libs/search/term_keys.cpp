#include "search/term_keys.hpp"

#include <array>

#include "core/check.hpp"
#include "core/ids.hpp"

namespace tideline::search {

std::int64_t TermKeys::of(std::string_view term) const {
  // An index is written as account ids are: 128 bits, of which 64 are enough here.
  const auto hash = core::AccountId::parse(sealer_.index(term, context_));
  CHECK(hash.has_value(), "the sealer makes indexes of 128 bits");
  std::uint64_t key = 0;
  for (std::size_t byte = 0; byte < sizeof key; ++byte) key = key << 8U | hash->bytes()[byte];
  return static_cast<std::int64_t>(key);
}

std::vector<std::int64_t> TermKeys::of(const std::vector<std::string>& terms) const {
  std::vector<std::int64_t> keys;
  keys.reserve(terms.size());
  for (const std::string& term : terms) keys.push_back(of(term));
  return keys;
}

}  // namespace tideline::search
