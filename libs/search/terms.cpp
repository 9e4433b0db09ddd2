#include "search/terms.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text.hpp"

namespace tideline::search {
namespace {

// What no word holds: so a term of a run, or of a beginning, is none of a word.
constexpr std::string_view kOfARun = "\x01";
constexpr std::string_view kOfABeginning = "\x02";

void append_utf8(std::string& text, char32_t letter) {
  if (letter < 0x80) {
    text.push_back(static_cast<char>(letter));
  } else if (letter < 0x800) {
    text.push_back(static_cast<char>(0xC0 | (letter >> 6)));
    text.push_back(static_cast<char>(0x80 | (letter & 0x3F)));
  } else if (letter < 0x10000) {
    text.push_back(static_cast<char>(0xE0 | (letter >> 12)));
    text.push_back(static_cast<char>(0x80 | ((letter >> 6) & 0x3F)));
    text.push_back(static_cast<char>(0x80 | (letter & 0x3F)));
  } else {
    text.push_back(static_cast<char>(0xF0 | (letter >> 18)));
    text.push_back(static_cast<char>(0x80 | ((letter >> 12) & 0x3F)));
    text.push_back(static_cast<char>(0x80 | ((letter >> 6) & 0x3F)));
    text.push_back(static_cast<char>(0x80 | (letter & 0x3F)));
  }
}

std::string run_term(std::u32string_view letters) {
  std::string term(kOfARun);
  for (const char32_t letter : letters) append_utf8(term, letter);
  return term;
}

// The first `length` code points of `word`, or all.
std::string_view beginning(std::string_view word, std::size_t length) {
  std::size_t at = 0;
  for (std::size_t letters = 0; at < word.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(word[at]) & 0xC0U) != 0x80U;
    if (begins && letters++ == length) break;
  }
  return word.substr(0, at);
}

void sort_once(std::vector<std::string>& terms) {
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
}

}  // namespace

std::vector<std::string> terms_of(const Words& words, Match match) {
  std::vector<std::string> terms;
  for (const std::string& word : words.words) {
    if (match == Match::Words) {
      terms.push_back(word);
      continue;
    }
    std::size_t before = 0;
    for (std::size_t length = 1; length <= kPrefixLength; ++length) {
      const std::string_view start = beginning(word, length);
      if (start.size() == before) break;
      before = start.size();
      terms.push_back(std::string(kOfABeginning).append(start));
    }
  }
  for (const std::u32string& run : words.runs) {
    const std::u32string_view letters = run;
    for (std::size_t at = 0; at < letters.size(); ++at) {
      terms.push_back(run_term(letters.substr(at, 1)));
      if (at + 1 < letters.size()) terms.push_back(run_term(letters.substr(at, 2)));
    }
  }
  sort_once(terms);
  return terms;
}

Query::Query(Words wanted, Match match) : wanted_(std::move(wanted)), match_(match) {
  for (const std::string& word : wanted_.words) {
    terms_.push_back(match == Match::Words
                         ? word
                         : std::string(kOfABeginning).append(beginning(word, kPrefixLength)));
  }
  for (const std::u32string& run : wanted_.runs) {
    const std::u32string_view letters = run;
    if (letters.size() == 1) terms_.push_back(run_term(letters));
    for (std::size_t at = 0; at + 1 < letters.size(); ++at) {
      terms_.push_back(run_term(letters.substr(at, 2)));
    }
  }
  sort_once(terms_);
}

std::optional<Query> Query::parse(std::string_view text, Match match) {
  const std::optional<std::size_t> length = core::code_points(text);
  if (!length || *length > kQueryLength) return std::nullopt;
  return Query(words_of(text, match), match);
}

bool Query::matches(const Words& words) const {
  if (is_empty()) return false;
  const auto has_word = [&](const std::string& word) {
    // The words are sorted: one that `word` begins is the first that is not before it.
    const auto at = std::lower_bound(words.words.begin(), words.words.end(), word);
    if (at == words.words.end()) return false;
    return match_ == Match::Words ? *at == word : at->starts_with(word);
  };
  const auto has_run = [&](const std::u32string& part) {
    return std::any_of(words.runs.begin(), words.runs.end(), [&](const std::u32string& run) {
      return run.find(part) != std::u32string::npos;
    });
  };
  return std::all_of(wanted_.words.begin(), wanted_.words.end(), has_word) &&
         std::all_of(wanted_.runs.begin(), wanted_.runs.end(), has_run);
}

}  // namespace tideline::search
