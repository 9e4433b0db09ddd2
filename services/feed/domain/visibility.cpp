#include "feed/domain/visibility.hpp"

#include <array>
#include <utility>

namespace tideline::feed {
namespace {

constexpr std::array<std::pair<Audience, std::string_view>, 4> kNames{{
    {Audience::Public, "public"},
    {Audience::Private, "private"},
    {Audience::PartlyVisible, "partly-visible"},
    {Audience::PartlyInvisible, "partly-invisible"},
}};

}  // namespace

std::string_view to_string(Audience audience) {
  for (const auto& [value, name] : kNames) {
    if (value == audience) return name;
  }
  return {};
}

std::optional<Audience> parse_audience(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace tideline::feed
