#include "search/words.hpp"

#include <libstemmer.h>
#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <memory>

#include "core/check.hpp"

namespace tideline::search {
namespace {

// ICU's tables are part of its library: what is missing is a broken installation.
const icu::Normalizer2& normalizer(const icu::Normalizer2* (*get)(UErrorCode&)) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* found = get(error);
  CHECK(U_SUCCESS(error) != 0 && found != nullptr, "ICU has its normalizers");
  return *found;
}

icu::UnicodeString normalized(const icu::Normalizer2& form, const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString result = form.normalize(text, error);
  CHECK(U_SUCCESS(error) != 0, "ICU normalizes any text");
  return result;
}

bool is_diacritic(UChar32 letter) { return letter >= 0x0300 && letter <= 0x036F; }

// Case, width, accents and apostrophes as they are compared.
icu::UnicodeString folded(std::string_view text) {
  const auto bytes = icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size()));
  static const icu::Normalizer2& fold = normalizer(icu::Normalizer2::getNFKCCasefoldInstance);
  static const icu::Normalizer2& apart = normalizer(icu::Normalizer2::getNFDInstance);
  static const icu::Normalizer2& together = normalizer(icu::Normalizer2::getNFCInstance);
  const icu::UnicodeString letters =
      normalized(apart, normalized(fold, icu::UnicodeString::fromUTF8(bytes)));
  icu::UnicodeString kept;
  for (std::int32_t at = 0; at < letters.length(); at = letters.moveIndex32(at, 1)) {
    const UChar32 letter = letters.char32At(at);
    if (is_diacritic(letter)) continue;
    kept.append(letter == 0x2019 ? UChar32{'\''} : letter);
  }
  return normalized(together, kept);
}

bool is_of_a_run(UChar32 letter) {
  if (letter < 0x0E00) return false;  // below Thai there is none
  if (u_isUAlphabetic(letter) == 0 && u_charType(letter) != U_NON_SPACING_MARK &&
      u_charType(letter) != U_COMBINING_SPACING_MARK) {
    return false;
  }
  if (u_getIntPropertyValue(letter, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return true;
  for (const UScriptCode script :
       {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_HANGUL, USCRIPT_BOPOMOFO}) {
    if (uscript_hasScript(letter, script) != 0) return true;
  }
  return false;
}

bool has_emoji(const icu::UnicodeString& text) {
  for (std::int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    if (u_hasBinaryProperty(text.char32At(at), UCHAR_EMOJI_PRESENTATION) != 0) return true;
  }
  return false;
}

// Not thread-safe: each thread has its own.
class WordCutter {
 public:
  WordCutter() {
    UErrorCode error = U_ZERO_ERROR;
    words_.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
    CHECK(U_SUCCESS(error) != 0, "ICU has the boundaries of words");
    stemmer_.reset(sb_stemmer_new("english", "UTF_8"));
    CHECK(stemmer_ != nullptr, "Snowball has its English stemmer");
  }

  void cut(const icu::UnicodeString& text, Match match, std::vector<std::string>& words) {
    words_->setText(text);
    std::int32_t begin = words_->first();
    for (std::int32_t end = words_->next(); end != icu::BreakIterator::DONE;
         begin = end, end = words_->next()) {
      const icu::UnicodeString piece(text, begin, end - begin);
      if (words_->getRuleStatus() < UBRK_WORD_NONE_LIMIT && !has_emoji(piece)) continue;
      std::string word;
      piece.toUTF8String(word);
      words.push_back(match == Match::Words ? stem(word) : word);
    }
  }

 private:
  struct StemmerEnd {
    void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
  };

  std::string stem(const std::string& word) {
    const bool english = std::all_of(word.begin(), word.end(), [](char letter) {
      return (letter >= 'a' && letter <= 'z') || letter == '\'';
    });
    if (!english) return word;
    const auto* bytes = reinterpret_cast<const sb_symbol*>(word.data());
    const sb_symbol* stemmed =
        sb_stemmer_stem(stemmer_.get(), bytes, static_cast<int>(word.size()));
    CHECK(stemmed != nullptr, "a stem is shorter than its word");
    return {reinterpret_cast<const char*>(stemmed),
            static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

  std::unique_ptr<icu::BreakIterator> words_;
  std::unique_ptr<sb_stemmer, StemmerEnd> stemmer_;
};

}  // namespace

Words words_of(std::string_view text, Match match) {
  thread_local WordCutter cutter;
  Words found;
  icu::UnicodeString between;
  std::u32string run;
  const auto end_run = [&] {
    if (!run.empty()) found.runs.push_back(std::move(run));
    run.clear();
  };
  const auto end_between = [&] {
    if (!between.isEmpty()) cutter.cut(between, match, found.words);
    between.remove();
  };
  const icu::UnicodeString letters = folded(text);
  for (std::int32_t at = 0; at < letters.length(); at = letters.moveIndex32(at, 1)) {
    const UChar32 letter = letters.char32At(at);
    if (is_of_a_run(letter)) {
      end_between();
      run.push_back(static_cast<char32_t>(letter));
    } else {
      end_run();
      between.append(letter == 0xFFFD ? UChar32{' '} : letter);
    }
  }
  end_run();
  end_between();
  std::sort(found.words.begin(), found.words.end());
  found.words.erase(std::unique(found.words.begin(), found.words.end()), found.words.end());
  return found;
}

}  // namespace tideline::search
