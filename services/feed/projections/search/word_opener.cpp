#include "feed/projections/search/word_opener.hpp"

#include "core/result.hpp"
#include "feed/projections/search/search_scopes.hpp"
#include "search/terms.hpp"
#include "search/topics.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {

WordOpener::WordOpener(eventsourcing::TextSealer& sealer)
    : sealer_(sealer),
      keys_(sealer, std::string(kSearchTerms)),
      topic_keys_(sealer, std::string(kTopicTerms)) {}

std::vector<std::int64_t> WordOpener::keys_of_words(std::string_view text) const {
  const auto words = search::words_of(text, search::Match::Words);
  return keys_.of(search::terms_of(words, search::Match::Words));
}

std::vector<std::string> WordOpener::words_of(
    const std::vector<eventsourcing::SealedText>& texts) const {
  const auto opened = core::value_of(sealer_.open_many(texts));
  std::vector<std::string> columns;
  columns.reserve(texts.size());
  for (const auto& text : opened) {
    columns.push_back(sql::kArrayText(keys_of_words(text.value_or(""))));
  }
  return columns;
}

std::vector<WordOpener::Terms> WordOpener::terms_of(
    const std::vector<eventsourcing::SealedText>& texts) const {
  const auto opened = core::value_of(sealer_.open_many(texts));
  std::vector<Terms> terms;
  terms.reserve(texts.size());
  for (const auto& text : opened) {
    std::vector<std::int64_t> topics;
    for (const auto& topic : search::topics_of(text.value_or(""))) {
      topics.push_back(topic_keys_.of(topic.key));
    }
    auto words = keys_of_words(text.value_or(""));
    words.insert(words.end(), topics.begin(), topics.end());
    terms.push_back({sql::kArrayText(words), sql::kArrayText(topics)});
  }
  return terms;
}

}  // namespace tideline::feed
