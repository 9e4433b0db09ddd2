// What people find: by words, by stems, by parts of Chinese; and that terms never hide a match.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/terms.hpp"

namespace tideline::search {
namespace {

// As an index answers: by terms first, then by looking again.
bool finds(std::string_view query, std::string_view text, Match match = Match::Words) {
  const auto parsed = Query::parse(query, match);
  if (!parsed) return false;
  const Words words = words_of(text, match);
  const auto kept = terms_of(words, match);
  const bool candidate =
      std::includes(kept.begin(), kept.end(), parsed->terms().begin(), parsed->terms().end());
  EXPECT_TRUE(candidate || !parsed->matches(words)) << "terms hide '" << query << "' in " << text;
  return candidate && parsed->matches(words);
}

TEST(Search, EveryWordOfTheQueryHasToBeThereInAnyOrder) {
  const std::string text = "The library opens at nine on Sunday";
  EXPECT_TRUE(finds("sunday library", text));
  EXPECT_FALSE(finds("sunday museum", text));
  EXPECT_FALSE(finds("brary", text));
}

TEST(Search, CaseWidthAccentsAndApostrophesDoNotCount) {
  EXPECT_TRUE(finds("CAFE", "the café"));
  EXPECT_TRUE(finds("café", "the cafe"));
  EXPECT_TRUE(finds("ｔｉｄｅ", "Tide"));
  EXPECT_TRUE(finds("strasse", "Straße"));
  EXPECT_TRUE(finds("don't", "I don’t know"));
}

TEST(Search, AnEnglishWordCountsByItsStem) {
  EXPECT_TRUE(finds("photo", "photos of the campus"));
  EXPECT_TRUE(finds("running", "she runs"));
  EXPECT_FALSE(finds("photo", "photosynthesis"));
}

TEST(Search, ChineseIsFoundByAnyPart) {
  const std::string text = "今天在图书馆学习数据库";
  for (const char* part : {"图书馆", "书馆", "学习数据", "库", text.c_str()}) {
    EXPECT_TRUE(finds(part, text)) << part;
  }
  EXPECT_FALSE(finds("数学", text)) << "both letters are there, elsewhere";
  EXPECT_TRUE(finds("学习 图书馆", text)) << "two parts in any order";
}

TEST(Search, NeighboursThatStandElsewhereAreNoPart) {
  // All neighbours of the query are in the text, and the query is not.
  EXPECT_FALSE(finds("一二三一", "二三一。一二三"));
  EXPECT_TRUE(finds("一二三一", "零一二三一二"));
}

TEST(Search, ChineseAndLatinMeet) {
  EXPECT_TRUE(finds("数据库 postgres", "我们用PostgreS做数据库"));
  EXPECT_TRUE(finds("2026", "2026年的项目"));
  EXPECT_TRUE(finds("東京タワー", "昨日の東京タワー"));
  EXPECT_TRUE(finds("한국", "한국어를 배운다"));
  EXPECT_TRUE(finds("กรุงเทพ", "สวัสดีกรุงเทพมหานคร"));
}

TEST(Search, EmojiAndTopicsAreWords) {
  EXPECT_TRUE(finds("🎉", "we won 🎉"));
  EXPECT_TRUE(finds("#exam", "#exam tomorrow"));
  EXPECT_TRUE(finds("exam", "#exam tomorrow"));
}

TEST(Search, ANameIsFoundWhileItIsTyped) {
  const std::string name = "Ann-Sofie Lindqvist";
  for (const char* typed : {"a", "ann", "lind", "sof an", "lindqvis", "LINDQVIST"}) {
    EXPECT_TRUE(finds(typed, name, Match::Prefixes)) << typed;
  }
  EXPECT_FALSE(finds("qvist", name, Match::Prefixes));
  EXPECT_FALSE(finds("lindqvista", name, Match::Prefixes));
  EXPECT_FALSE(finds("ann", "Annika", Match::Words));
  EXPECT_TRUE(finds("小明", "王小明", Match::Prefixes));
}

TEST(Search, AQueryWithoutAWordMatchesNothing) {
  for (const char* query : {"", " ?! "}) {
    const auto parsed = Query::parse(query, Match::Words);
    ASSERT_TRUE(parsed) << query;
    EXPECT_TRUE(parsed->is_empty());
    EXPECT_FALSE(parsed->matches(words_of("anything ?!", Match::Words)));
  }
}

TEST(Search, AQueryHasABound) {
  EXPECT_TRUE(Query::parse(std::string(kQueryLength, 'a'), Match::Words));
  EXPECT_FALSE(Query::parse(std::string(kQueryLength + 1, 'a'), Match::Words));
  EXPECT_FALSE(Query::parse("\xFF\xFE", Match::Words));
}

TEST(Search, BytesThatAreNoTextAreNoWord) {
  EXPECT_EQ(words_of("a\xFF z", Match::Words), words_of("a  z", Match::Words));
}

// --- the law
// ----------------------------------------------------------------------------------------------

// Words of no stem but themselves, and letters of Han, put together by spaces and marks.
const std::vector<std::string> kLatin{"ada", "bo", "kim", "ivo", "zug", "x1", "77"};
const std::vector<std::pair<char32_t, std::string>> kHan{
    {U'一', "一"}, {U'二', "二"}, {U'三', "三"}};

// A text, and what it is made of: the oracle reads the parts and no text.
struct Written {
  std::string text;
  std::vector<std::string> words;
  std::vector<std::string> runs;
};

Written write(std::size_t pieces) {
  Written written;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (!written.text.empty()) written.text += *rc::gen::element<std::string>(" ", ", ", "。", "!");
    if (*rc::gen::arbitrary<bool>()) {
      const std::string word = *rc::gen::elementOf(kLatin);
      const bool loud = *rc::gen::arbitrary<bool>();
      for (const char letter : word) {
        written.text.push_back(loud ? static_cast<char>(std::toupper(letter)) : letter);
      }
      written.words.push_back(word);
    } else {
      std::string run;
      for (int letters = *rc::gen::inRange(1, 6); letters > 0; --letters) {
        run += (*rc::gen::elementOf(kHan)).second;
      }
      written.text += run;
      written.runs.push_back(run);
    }
  }
  return written;
}

bool should_find(const Written& query, const Written& text) {
  for (const std::string& word : query.words) {
    if (std::count(text.words.begin(), text.words.end(), word) == 0) return false;
  }
  for (const std::string& part : query.runs) {
    bool there = false;
    for (const std::string& run : text.runs) there = there || run.find(part) != std::string::npos;
    if (!there) return false;
  }
  return true;
}

TEST(Search, FindsExactlyWhatHasEveryWordAndPart) {
  std::size_t found = 0;
  const bool held = rc::check("a text is found exactly if it holds what the query is made of", [&] {
    const Written query = write(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
    const Written text = write(static_cast<std::size_t>(*rc::gen::inRange(1, 16)));
    const bool expected = should_find(query, text);
    found += expected ? 1 : 0;
    RC_ASSERT(finds(query.text, text.text) == expected);
  });
  EXPECT_TRUE(held);
  EXPECT_GT(found, 0U) << "some must be found, or the law says little";
}

}  // namespace
}  // namespace tideline::search
