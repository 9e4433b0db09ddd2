// From texts to terms and back: a text is kept under its terms, a query asks for those that it
// needs, and what has them all is looked at again. Terms alone may find too much (parts of a run
// that stand elsewhere in it), never too little:
//
//   query.matches(words) implies that terms_of(words) holds all of query.terms().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/words.hpp"

namespace tideline::search {

// A query has at most so many code points.
inline constexpr std::size_t kQueryLength = 100;
// A word that is looked for by its beginning is found by as many code points of it, and then
// compared.
inline constexpr std::size_t kPrefixLength = 8;

// Sorted, each once. Of a run: each of its letters, and each two neighbours.
std::vector<std::string> terms_of(const Words& words, Match match);

// What somebody looks for: every word and run of it must be there, in any order. Immutable.
class Query {
 public:
  // nullopt: it breaks the rule.
  static constexpr std::string_view kRule = "a query has at most 100 characters";
  static std::optional<Query> parse(std::string_view text, Match match);

  // It has no word: nothing matches.
  bool is_empty() const { return terms_.empty(); }
  // What a text that matches has among its terms; sorted, each once.
  const std::vector<std::string>& terms() const { return terms_; }
  // `words` of a text by the same Match.
  bool matches(const Words& words) const;

 private:
  Query(Words wanted, Match match);

  Words wanted_;
  Match match_;
  std::vector<std::string> terms_;
};

}  // namespace tideline::search
