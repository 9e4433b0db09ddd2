#include "http/messages/json.hpp"

#include <utf8proc.h>

#include <cstdlib>

#include "core/check.hpp"
#include "core/text.hpp"

namespace tideline::http {
namespace {

// UAX 15, stream-safe text: longer runs occur in no language, and sorting them into canonical order
// takes quadratic time.
constexpr std::size_t kCombiningRunMax = 30;

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

bool is_stream_safe(std::string_view text) {
  std::size_t run = 0;
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const auto length =
        utf8proc_iterate(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (length <= 0) return false;
    run = utf8proc_get_property(code_point)->combining_class == 0 ? 0 : run + 1;
    if (run > kCombiningRunMax) return false;
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return true;
}

// Builds the value as the parser reports its parts, and stops at the first thing that is refused.
class StrictBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictBuilder(std::size_t depth_max) : depth_max_(depth_max) {}

  bool null() override { return place(nullptr); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override { return place(value); }
  bool number_float(number_float_t value, const string_t&) override { return place(value); }
  bool string(string_t& value) override { return clean(value) && place(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values have no place in JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!clean(name)) return false;
    if (open_.back()->contains(name)) return refuse("an object has two members of one name");
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return refuse("no valid JSON at byte " + std::to_string(position));
  }

  Json take() { return std::move(root_); }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  bool refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  bool clean(string_t& text) {
    if (text.find('\0') != string_t::npos) return refuse("the code point U+0000 is not allowed");
    auto normal = normalise_nfc(text);
    if (!normal) return refuse("a text is invalid UTF-8 or heaps up combining marks");
    text = std::move(*normal);
    return true;
  }

  // Only the innermost open container grows, so pointers to the outer ones stay good.
  Json* attach(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json& member = parent[key_];
    member = std::move(value);
    return &member;
  }

  bool place(Json value) {
    attach(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() == depth_max_) return refuse("the value is nested too deeply");
    open_.push_back(attach(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t depth_max_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string refusal_;
};

bool is_json_media_type(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return equal_ignoring_case(type, "application/json");
}

}  // namespace

bool is_valid_utf8(std::string_view text) { return core::code_points(text).has_value(); }

std::size_t count_code_points(std::string_view text) {
  const auto count = core::code_points(text);
  CHECK(count.has_value(), "only valid UTF-8 has code points");
  return *count;
}

std::optional<std::string> normalise_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  if (!is_valid_utf8(text) || !is_stream_safe(text)) return std::nullopt;
  utf8proc_uint8_t* mapped = nullptr;
  const auto length =
      utf8proc_map(bytes_of(text), static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (length < 0) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

Parsed<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.size_max) {
    return problem(413, "content-too-large", "The body is too large",
                   "a JSON value has at most " + std::to_string(limits.size_max) + " bytes");
  }
  // The parser takes a NUL byte for the end and skips a byte order mark; others do not.
  if (text.find('\0') != std::string_view::npos || text.starts_with("\xEF\xBB\xBF")) {
    return malformed("the body is not JSON text");
  }
  StrictBuilder builder(limits.depth_max);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) return malformed(builder.refusal());
  return builder.take();
}

Parsed<Json> read_json_object(const Request& request, const JsonLimits& limits) {
  const auto content_type = request.header("Content-Type");
  if (!content_type || !is_json_media_type(*content_type)) {
    return unsupported_media_type("send application/json");
  }
  auto parsed = parse_json(request.body, limits);
  if (parsed && !parsed->is_object()) return invalid({{"", "is not an object"}});
  return parsed;
}

}  // namespace tideline::http
