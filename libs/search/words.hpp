// What search compares of a text: its words, and the runs of its scripts that put no space between
// words. Two texts that people take for the same have the same: case, width, accents and the shape
// of an apostrophe do not count (NFKC_Casefold of Unicode, then without combining diacritics).
//
// - Words are those between the boundaries of Unicode's UAX 29, as ICU finds them: letters, digits
//   and emoji. An English word counts by its stem (Snowball's English stemmer): "photos" is
//   "photo".
// - Runs are of Han, kana, bopomofo, hangul, and of Thai, Lao, Khmer and Burmese. Where a word ends
//   there, dictionaries decide, differently for a text and for a part of it; so a run is searched
//   for any part of it, letter by letter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tideline::search {

// How words of a text are compared.
enum class Match {
  Words,    // a word of the query is a word of the text, by stem
  Prefixes  // a word of the query begins a word of the text: for names, while somebody types
};

struct Words {
  std::vector<std::string> words;    // UTF-8, sorted, each once
  std::vector<std::u32string> runs;  // in the order of the text
  bool operator==(const Words&) const = default;
};

// Bytes that are not well-formed UTF-8 are no part of any word. Pure; any thread may call it.
Words words_of(std::string_view text, Match match);

}  // namespace tideline::search
