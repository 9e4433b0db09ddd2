#include "eventsourcing/commands/answer_seal.hpp"

#include <string_view>
#include <utility>

namespace tideline::eventsourcing {
namespace {

// Part of the format: never renamed.
constexpr std::string_view kBody = "StoredResult.body";
constexpr std::string_view kLocation = "StoredResult.location";

// A body is a JSON object or array and a location a path, which no sealed text begins like.
bool is_clear(std::string_view text) {
  return text.starts_with('{') || text.starts_with('[') || text.starts_with('/');
}

}  // namespace

core::Result<StoredResult> AnswerSeal::seal(StoredResult result) const {
  if (sealer == nullptr) return result;
  for (const auto& [text, context] :
       {std::pair{&result.body, kBody}, {&result.location, kLocation}}) {
    if (text->empty()) continue;
    auto sealed = sealer->seal(account, *text, context);
    if (!sealed) return sealed.error();
    *text = *std::move(sealed);
  }
  return result;
}

core::Result<std::optional<StoredResult>> AnswerSeal::open(StoredResult stored) const {
  if (sealer == nullptr) return std::optional(std::move(stored));
  for (const auto& [text, context] :
       {std::pair{&stored.body, kBody}, {&stored.location, kLocation}}) {
    if (text->empty() || is_clear(*text)) continue;
    auto opened = sealer->open(account, *text, context);
    if (!opened) return opened.error();
    if (!*opened) return std::optional<StoredResult>();
    *text = **std::move(opened);
  }
  return std::optional(std::move(stored));
}

}  // namespace tideline::eventsourcing
