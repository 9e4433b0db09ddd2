#include "http/messages/content_coding.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "core/check.hpp"
#include "http/messages/message.hpp"

namespace tideline::http {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window, with gzip's head and foot
constexpr int kMemoryLevel = 8;

// "1", "0.5", "1.000": thousandths.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int thousandths = text[0] == '1' ? 1000 : 0;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int unit = 100;
  for (std::size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    thousandths += (text[i] - '0') * unit;
  }
  if (thousandths > 1000) return std::nullopt;
  return thousandths;
}

struct Weighed {
  std::string_view coding;
  int weight;
};

std::optional<Weighed> parse_element(std::string_view element) {
  const std::size_t semicolon = element.find(';');
  const std::string_view coding = trim_blanks(element.substr(0, semicolon));
  if (!is_token(coding)) return std::nullopt;
  if (semicolon == std::string_view::npos) return Weighed{coding, 1000};
  const std::string_view parameter = trim_blanks(element.substr(semicolon + 1));
  if (parameter.size() < 2 || !equal_ignoring_case(parameter.substr(0, 2), "q=")) {
    return std::nullopt;
  }
  const auto weight = parse_weight(parameter.substr(2));
  if (!weight) return std::nullopt;
  return Weighed{coding, *weight};
}

class Deflater {
 public:
  Deflater() {
    CHECK(deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib has its working memory");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string compress(std::string_view bytes) {
    CHECK(deflateReset(&stream_) == Z_OK, "zlib starts again");
    std::string packed(deflateBound(&stream_, bytes.size()), '\0');
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_out = static_cast<uInt>(packed.size());
    CHECK(deflate(&stream_, Z_FINISH) == Z_STREAM_END, "zlib's bound holds all of it");
    packed.resize(packed.size() - stream_.avail_out);
    return packed;
  }

 private:
  z_stream stream_{};
};

}  // namespace

bool prefers_gzip(std::string_view accept_encoding) {
  std::optional<int> named;
  std::optional<int> any;
  int identity = 0;  // unnamed it is taken, but wanted least
  for (bool more = true; more;) {
    const std::size_t comma = accept_encoding.find(',');
    more = comma != std::string_view::npos;
    const auto element = parse_element(accept_encoding.substr(0, comma));
    if (more) accept_encoding.remove_prefix(comma + 1);
    if (!element) continue;
    if (equal_ignoring_case(element->coding, "gzip") ||
        equal_ignoring_case(element->coding, "x-gzip")) {
      named = std::max(named.value_or(0), element->weight);
    } else if (element->coding == "*") {
      any = element->weight;
    } else if (equal_ignoring_case(element->coding, "identity")) {
      identity = element->weight;
    }
  }
  const int weight = named ? *named : any.value_or(0);
  return weight > 0 && weight >= identity;
}

std::string gzip(std::string_view bytes) {
  thread_local Deflater deflater;
  return deflater.compress(bytes);
}

}  // namespace tideline::http
