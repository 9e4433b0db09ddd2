// The names that people give to tags and groups: sealed in events under the key of who gave them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "crypto/subject_cipher.hpp"

namespace tideline::social_graph {

// Contexts of the cipher: part of the data format.
inline constexpr std::string_view kTagName = "TagCreated.name";
inline constexpr std::string_view kGroupName = "GroupCreated.name";

// For codecs: both throw CodecFailed when the cipher fails. A name whose key was destroyed is "".
std::string seal_name(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view name, std::string_view context);
std::string open_name(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view sealed, std::string_view context);

}  // namespace tideline::social_graph
