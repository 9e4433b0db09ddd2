// Moments to search, and what is asked of them: words by Zipf's law, a third of the moments public,
// most others for contacts. Pure functions of numbers: the same in every process.
//
// A word of a text is no part of another word, so that whoever looks for it in the text finds what
// an index of words does, and no stemmer takes two for one. Of Chinese any two neighbours can be
// asked for.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/feed_people.hpp"
#include "feed/events.hpp"

namespace tideline::bench {

struct CorpusMoment {
  core::MomentId id;
  std::uint32_t author = 0;
  feed::Audience audience = feed::Audience::Public;
  core::Timestamp published_at;
  std::string text;
};

// As search.py names them.
inline constexpr std::array<std::string_view, 7> kQuestionKinds = {"a common word",
                                                                   "a middling word",
                                                                   "a rare word",
                                                                   "two common words",
                                                                   "a common and a middling word",
                                                                   "two letters of Chinese",
                                                                   "a rare word of Chinese"};

struct Question {
  std::size_t kind = 0;
  std::uint32_t viewer = 0;
  std::vector<std::string> words;  // all of them are to be there

  std::string text() const { return words.size() == 1 ? words[0] : words[0] + ' ' + words[1]; }
};

class SearchCorpus {
 public:
  SearchCorpus(std::uint32_t people, std::uint32_t moments) : people_(people), moments_(moments) {
    for (std::uint32_t rank = 0; rank < kWords; ++rank) {
      latin_.push_back(latin_word(rank));
      chinese_.push_back(chinese_word(rank));
    }
  }

  CorpusMoment moment(std::uint32_t place) const {
    Numbers numbers(place);
    CorpusMoment moment;
    // Some write much more than others.
    const double share = uniform(numbers);
    moment.author = people_.at(static_cast<std::uint64_t>(share * share * people_.people()));
    moment.published_at = kFirst + place * kSpan / moments_;
    moment.id =
        core::make_moment_id(moment.published_at, account_of(moment.author), place % 16'384);
    const double audience = uniform(numbers);
    moment.audience = audience < 0.33   ? feed::Audience::Public
                      : audience < 0.95 ? feed::Audience::PartlyInvisible  // to nobody
                                        : feed::Audience::Private;
    moment.text = text(numbers);
    return moment;
  }

  Question question(std::uint64_t number) const {
    Numbers numbers(number + (std::uint64_t{1} << 40));
    Question asked;
    asked.kind = number % kQuestionKinds.size();
    asked.viewer = static_cast<std::uint32_t>(numbers() % people_.people());
    const auto one_of = [&](std::uint32_t first, std::uint32_t end) {
      return first + numbers() % (end - first);
    };
    const std::string& common = latin_[one_of(0, kCommon)];
    switch (asked.kind) {
      case 0:
        asked.words = {common};
        break;
      case 1:
        asked.words = {latin_[one_of(kMiddling, 2 * kMiddling)]};
        break;
      case 2:
        asked.words = {latin_[one_of(kRare, kWords)]};
        break;
      case 3:
        asked.words = {common, latin_[one_of(kCommon, 2 * kCommon)]};
        break;
      case 4:
        asked.words = {common, latin_[one_of(kMiddling, 2 * kMiddling)]};
        break;
      case 5:
        asked.words = {chinese_[one_of(0, kCommon)].substr(0, 2 * kChineseBytes)};
        break;
      default:
        asked.words = {chinese_[one_of(kRare, kWords)]};
        break;
    }
    return asked;
  }

 private:
  using Numbers = std::mt19937_64;

  static constexpr std::uint32_t kWords = 25'000;  // of either script
  // By rank: most moments of a script have one of the common words, and of the rare ones each is in
  // some fifty.
  static constexpr std::uint32_t kCommon = 100;
  static constexpr std::uint32_t kMiddling = 1'000;
  static constexpr std::uint32_t kRare = 20'000;
  static constexpr std::size_t kChineseBytes = 3;
  static constexpr core::Timestamp kFirst{std::chrono::seconds(1'735'689'600)};  // in 2025
  static constexpr std::chrono::milliseconds kSpan = std::chrono::days(547);

  static double uniform(Numbers& numbers) {
    return static_cast<double>(numbers() >> 11U) / static_cast<double>(std::uint64_t{1} << 53U);
  }
  static std::uint32_t rank(Numbers& numbers) {
    return static_cast<std::uint32_t>(std::pow(kWords, uniform(numbers))) - 1;
  }

  // Of six letters, each word another one; at its end no English stemmer takes anything away.
  static std::string latin_word(std::uint32_t rank) {
    constexpr std::string_view kConsonants = "bcdfghjklmnpqrstvwxz";
    constexpr std::string_view kVowels = "aeiou";
    constexpr std::uint32_t kAll = 100 * 100 * 60;
    std::uint32_t number = rank * 7'919 % kAll;  // which has no divisor in common with it
    std::string word(6, ' ');
    const auto draw = [&](std::string_view letters, std::size_t of) {
      const char letter = letters[number % of];
      number /= static_cast<std::uint32_t>(of);
      return letter;
    };
    word[5] = draw("aou", 3);
    word[4] = draw(kConsonants, 20);
    word[3] = draw(kVowels, 5);
    word[2] = draw(kConsonants, 20);
    word[1] = draw(kVowels, 5);
    word[0] = draw(kConsonants, 20);
    return word;
  }

  // Of two letters mostly, some of which are in many words.
  static std::string chinese_word(std::uint32_t rank) {
    Numbers numbers(rank + (std::uint64_t{1} << 41));
    const double length = uniform(numbers);
    std::string word;
    for (int left = length < 0.7 ? 2 : length < 0.85 ? 3 : 4; left > 0; --left) {
      const double share = uniform(numbers);
      const auto letter = 0x4E00 + static_cast<std::uint32_t>(3'000 * share * share);
      word.push_back(static_cast<char>(0xE0U | (letter >> 12U)));
      word.push_back(static_cast<char>(0x80U | ((letter >> 6U) & 0x3FU)));
      word.push_back(static_cast<char>(0x80U | (letter & 0x3FU)));
    }
    return word;
  }

  // In Latin letters, in Chinese, or in both.
  std::string text(Numbers& numbers) const {
    const double script = uniform(numbers);
    const double length = uniform(numbers);
    std::string text;
    bool chinese_before = false;
    for (int at = 0; at < 5 + static_cast<int>(36 * length * length); ++at) {
      const bool chinese = script < 0.45 || (script >= 0.9 && uniform(numbers) < 0.5);
      if (at > 0 && !(chinese && chinese_before)) text.push_back(' ');
      if (chinese && chinese_before && at % 6 == 0) text.append("，");
      text.append((chinese ? chinese_ : latin_)[rank(numbers)]);
      chinese_before = chinese;
    }
    return text;
  }

  const Shuffled people_;
  const std::uint32_t moments_;
  std::vector<std::string> latin_;    // by rank
  std::vector<std::string> chinese_;  // by rank
};

}  // namespace tideline::bench
