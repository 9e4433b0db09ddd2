// Topics of a text: what its writer marks by a sign, "#exam" or "＃考试".
//
// - A sign is # or its full-width form. Directly before it stands no ASCII letter or digit, and
// none
//   of _ & / # ("C#", "a&#b" and addresses name none).
// - Behind it stand 1 to 50 letters, digits, their marks, or _, not digits alone; a longer one is
//   none. A sign directly behind it closes it: "#考试#今天" names 考试.
// - Case, width and composition do not count (NFKC_Casefold).
// - Of a text the first ten count.
//
// Pure; any thread may call it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tideline::search {

inline constexpr std::size_t kTopicLength = 50;  // code points
inline constexpr std::size_t kTopicsMax = 10;

struct Topic {
  std::string key;      // as it is compared
  std::string written;  // as it stands in the text, without a sign
  bool operator==(const Topic&) const = default;
};

// In the order of the text, each key once. Bytes that are not well-formed UTF-8 are in no topic.
std::vector<Topic> topics_of(std::string_view text);
// The key of a topic that is named alone, with or without a sign; nullopt: it can be none.
std::optional<std::string> topic_key(std::string_view name);

}  // namespace tideline::search
