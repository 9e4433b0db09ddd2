#include "search/topics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/text.hpp"

namespace tideline::search {
namespace {

using Texts = std::vector<std::string>;

Texts written_in(std::string_view text) {
  Texts found;
  for (const Topic& topic : topics_of(text)) found.push_back(topic.written);
  return found;
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Topics, AreMarkedByASign) {
  EXPECT_EQ(written_in("#exam over, #Café_2 next"), (Texts{"exam", "Café_2"}));
  EXPECT_EQ(written_in("今天＃考试 结束"), Texts{"考试"});
  EXPECT_EQ(written_in("今天#考试#今天"), Texts{"考试"}) << "closed";
  EXPECT_EQ(written_in("#考试##图书馆#"), (Texts{"考试", "图书馆"}));
  EXPECT_EQ(written_in("(#exam) #tide."), (Texts{"exam", "tide"}));
  EXPECT_EQ(written_in("#नमस्ते"), Texts{"नमस्ते"}) << "with its marks";
}

TEST(Topics, AreNotWhatIsWrittenForAnotherReason) {
  for (const char* text : {"", "#", "# exam", "C#sharp", "a_#b", "https://x.example/#top", "##exam",
                           "&#x41;", "#1", "#２０２６", "#🌊", "#\xff"}) {
    EXPECT_EQ(written_in(text), Texts{}) << text;
  }
}

TEST(Topics, AreBounded) {
  const std::string longest = repeated("考", kTopicLength);
  EXPECT_EQ(written_in("#" + longest), Texts{longest});
  EXPECT_EQ(written_in("#" + longest + "试"), Texts{});
  std::string many;
  for (std::size_t i = 0; i < kTopicsMax + 2; ++i) many += " #t" + std::to_string(i);
  EXPECT_EQ(written_in(many).size(), kTopicsMax);
  EXPECT_EQ(written_in(many).back(), "t9");
}

TEST(Topics, AreOneWhateverTheirCaseAndWidth) {
  EXPECT_EQ(topics_of("#Exam ＃ＥＸＡＭ #exam"), (std::vector<Topic>{{"exam", "Exam"}}));
  EXPECT_EQ(topic_key("Exam"), "exam");
  EXPECT_EQ(topic_key("#ＥＸＡＭ"), "exam");
  for (const char* name : {"", "#", "two words", "##exam", "1", "exam#"}) {
    EXPECT_EQ(topic_key(name), std::nullopt) << name;
  }
}

// Of any text: few, short, found again by their names, and each behind a sign.
RC_GTEST_PROP(Topics, AreFoundByTheirNames, ()) {
  const Texts parts{"#", "＃", "exam", "考试", "e\u0301", "É", "7",
                    " ", "/",  "_",    "\xff", "🌊",       "ß"};
  std::string text;
  for (const std::size_t part : *rc::gen::container<std::vector<std::size_t>>(
           rc::gen::inRange<std::size_t>(0, parts.size()))) {
    text += parts[part];
  }
  const auto topics = topics_of(text);
  RC_ASSERT(topics.size() <= kTopicsMax);
  for (const Topic& topic : topics) {
    RC_ASSERT(core::code_points(topic.written).value() <= kTopicLength);
    RC_ASSERT(topic_key(topic.written) == topic.key);
    RC_ASSERT(text.find("#" + topic.written) != std::string::npos ||
              text.find("＃" + topic.written) != std::string::npos);
    RC_ASSERT(std::ranges::count(topics, topic.key, &Topic::key) == 1);
    RC_ASSERT(topics_of("#" + topic.written).front() == topic);
  }
}

}  // namespace
}  // namespace tideline::search
