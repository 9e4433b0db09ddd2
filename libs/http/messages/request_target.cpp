#include "http/messages/request_target.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tideline::http {
namespace {

bool is_uri_char(char c) {
  constexpr std::string_view kExcluded = "\"#<>\\^`{|}";
  return c > 0x20 && c < 0x7f && kExcluded.find(c) == std::string_view::npos;
}

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

bool is_clean_text(std::string_view text) {
  return !has_control_byte(text) && core::code_points(text).has_value();
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (segment == "." || segment == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
  return false;
}

bool has_encoded_slash(std::string_view path) {
  for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
    if (equal_ignoring_case(path.substr(at + 1, 2), "2f")) return true;
  }
  return false;
}

std::optional<std::string> decode_path(std::string_view raw) {
  if (has_encoded_slash(raw)) return std::nullopt;
  auto path = percent_decode(raw, false);
  if (!path || !is_clean_text(*path) || has_dot_segment(*path)) return std::nullopt;
  return path;
}

std::optional<Parameters> decode_query(std::string_view raw) {
  Parameters parameters;
  while (!raw.empty()) {
    const std::size_t end = raw.find('&');
    const std::string_view pair = raw.substr(0, end);
    raw.remove_prefix(end == std::string_view::npos ? raw.size() : end + 1);
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value || !is_clean_text(*name) || !is_clean_text(*value)) return std::nullopt;
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

// Cuts "http://authority" off; false when the target is in neither form.
bool to_origin_form(std::string_view& target) {
  if (target.starts_with('/')) return true;
  const std::size_t colon = target.find("://");
  if (colon == std::string_view::npos) return false;
  const std::string_view scheme = target.substr(0, colon);
  if (!equal_ignoring_case(scheme, "http") && !equal_ignoring_case(scheme, "https")) return false;
  target.remove_prefix(colon + 3);
  const std::size_t end = std::min(target.find_first_of("/?"), target.size());
  if (!is_authority(target.substr(0, end))) return false;
  target.remove_prefix(end);
  return true;
}

}  // namespace

bool is_authority(std::string_view text) {
  constexpr std::string_view kAllowed = "-._~!$&'()*+;=:[]%";
  return !text.empty() && text.front() != ':' && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kAllowed.find(c) != std::string_view::npos;
  });
}

std::optional<RequestTarget> parse_target(std::string_view target, Method method) {
  if (target == "*" && method == Method::Options) return RequestTarget{"*", {}};
  if (target.empty() || !std::all_of(target.begin(), target.end(), is_uri_char) ||
      !to_origin_form(target)) {
    return std::nullopt;
  }
  const std::size_t question = target.find('?');
  const std::string_view raw_path = target.substr(0, question);
  auto path = raw_path.empty() ? std::optional<std::string>("/") : decode_path(raw_path);
  auto query = question == std::string_view::npos ? std::optional<Parameters>(Parameters())
                                                  : decode_query(target.substr(question + 1));
  if (!path || !query) return std::nullopt;
  return RequestTarget{std::move(*path), std::move(*query)};
}

}  // namespace tideline::http
