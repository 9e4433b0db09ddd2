// From sealed texts to the keys of their words and topics, as columns of bigint[] are written.
// Blocks for the port of keys.
#pragma once

#include <string>
#include <vector>

#include "eventsourcing/events/text_sealer.hpp"
#include "search/term_keys.hpp"

namespace tideline::feed {

class WordOpener {
 public:
  // The sealer must outlive it.
  explicit WordOpener(eventsourcing::TextSealer& sealer);

  // "{1,2}" for each text; "{}" for one whose key has been destroyed. Throws core::Failed.
  std::vector<std::string> words_of(const std::vector<eventsourcing::SealedText>& texts) const;

  struct Terms {
    std::string words;   // with those of its topics
    std::string topics;  // these alone
  };
  // The same of moments.
  std::vector<Terms> terms_of(const std::vector<eventsourcing::SealedText>& texts) const;

 private:
  std::vector<std::int64_t> keys_of_words(std::string_view text) const;

  eventsourcing::TextSealer& sealer_;
  search::TermKeys keys_;
  search::TermKeys topic_keys_;
};

}  // namespace tideline::feed
