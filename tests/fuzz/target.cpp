// Request targets: what is accepted is decoded once and harmless.
#include "http/messages/request_target.hpp"

#include "core/check.hpp"
#include "core/text.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  std::string_view input = fuzz::as_text(data, size);
  const auto method = fuzz::take_choice(input) % 2 == 0 ? http::Method::Get : http::Method::Options;
  (void)http::is_authority(input);
  if (const auto decoded = http::percent_decode(input, true)) {
    CHECK(decoded->size() <= input.size(), "decoding never grows a text");
  }
  const auto target = http::parse_target(input, method);
  if (!target) return 0;
  CHECK(target->path.starts_with('/') || (target->path == "*" && method == http::Method::Options),
        "a path begins with a slash");
  CHECK(core::code_points(target->path).has_value(), "a path is valid UTF-8");
  const std::string ended = target->path + "/";
  CHECK(ended.find("/../") == std::string::npos && ended.find("/./") == std::string::npos,
        "a path has no dot segments");
  for (const auto& [name, value] : target->query) {
    CHECK(core::code_points(name) && core::code_points(value), "a query is valid UTF-8");
  }
  return 0;
}
