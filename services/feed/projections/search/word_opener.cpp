#include "feed/projections/search/word_opener.hpp"

#include "core/result.hpp"
#include "feed/projections/search/search_scopes.hpp"
#include "search/terms.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {

WordOpener::WordOpener(eventsourcing::TextSealer& sealer)
    : sealer_(sealer), keys_(sealer, std::string(kSearchTerms)) {}

std::vector<std::string> WordOpener::words_of(
    const std::vector<eventsourcing::SealedText>& texts) const {
  const auto opened = core::value_of(sealer_.open_many(texts));
  std::vector<std::string> columns;
  columns.reserve(texts.size());
  for (const auto& text : opened) {
    const auto words = search::words_of(text.value_or(""), search::Match::Words);
    columns.push_back(sql::kArrayText(keys_.of(search::terms_of(words, search::Match::Words))));
  }
  return columns;
}

}  // namespace tideline::feed
