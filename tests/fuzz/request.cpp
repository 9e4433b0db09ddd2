// Bytes of a connection become requests: the same ones however the bytes are cut, and only such as
// handlers may rely on.
#include <algorithm>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/text.hpp"
#include "fuzz/input.hpp"
#include "http/server/request_reader.hpp"

namespace tideline::http {
namespace {

constexpr FramingLimits kLimits{4096, 2048, 16, 512};

struct Reading {
  std::vector<Request> requests;
  int refused = 0;
};

void check_promises(const Request& request) {
  CHECK(request.path == "*" || request.path.starts_with('/'), "a path begins with a slash");
  CHECK(core::code_points(request.path).has_value(), "a path is valid UTF-8");
  CHECK(std::none_of(request.path.begin(), request.path.end(),
                     [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }),
        "a path has no control bytes");
  const std::string ended = request.path + "/";
  CHECK(ended.find("/../") == std::string::npos && ended.find("/./") == std::string::npos,
        "a path has no dot segments");
  CHECK(request.body.size() <= kLimits.body_bytes_max, "a body is bounded");
  CHECK(request.headers.size() <= kLimits.header_count_max, "fields are bounded");
  CHECK(request.headers.count("Host") <= 1, "there is one host");
  CHECK(request.headers.count("Content-Length") + request.headers.count("Transfer-Encoding") <= 1,
        "there is one way to read the body");
}

// As a connection would: what was not consumed is shown again, with more behind it. The zeros at
// the end are for the reader that waits for more before it says no: more than it ever waits for.
Reading read_all(std::string_view input, std::size_t piece) {
  const std::string ending(kLimits.head_bytes_max + kLimits.body_bytes_max, '\0');
  RequestReader reader(kLimits);
  Reading reading;
  std::string inbox;
  for (bool at_end = false; !at_end;) {
    at_end = input.empty();
    inbox.append(at_end ? ending : input.substr(0, piece));
    input.remove_prefix(std::min(piece, input.size()));
    for (;;) {
      const auto step = reader.advance(inbox);
      CHECK(step.consumed <= inbox.size(), "only what is there can be consumed");
      inbox.erase(0, step.consumed);
      if (step.progress == Progress::Refused) {
        reading.refused = reader.refusal().status;
        CHECK(reading.refused >= 400 && reading.refused <= 505, "a refusal has a status");
        return reading;
      }
      if (step.progress != Progress::Complete) break;
      reading.requests.push_back(reader.take());
      check_promises(reading.requests.back());
    }
  }
  return reading;
}

bool is_same(const Request& left, const Request& right) {
  return left.method == right.method && left.path == right.path && left.body == right.body &&
         left.query_parameters == right.query_parameters &&
         std::equal(left.headers.begin(), left.headers.end(), right.headers.begin(),
                    right.headers.end());
}

}  // namespace
}  // namespace tideline::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  std::string_view input = fuzz::as_text(data, size);
  const std::size_t piece = 1 + fuzz::take_choice(input) % 64;
  const auto whole = http::read_all(input, std::max<std::size_t>(input.size(), 1));
  const auto cut = http::read_all(input, piece);
  CHECK(whole.requests.size() == cut.requests.size(), "cuts do not change how many requests");
  CHECK((whole.refused == 0) == (cut.refused == 0), "cuts do not change whether one is refused");
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    CHECK(http::is_same(whole.requests[i], cut.requests[i]), "cuts do not change a request");
  }
  return 0;
}
