// Inside libs/http: cuts a stream of bytes into requests, strictly (RFC 9112).
//
// The head is scanned byte by byte as it comes, by our own rules; only a head that passed is given
// to Boost.Beast's parser, which reads it again and decodes the body. So whatever the parser is
// lenient about has been refused before, and whatever it refuses is refused as well.
//
// One thread at a time. Nothing here blocks or throws.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "http/messages/message.hpp"
#include "http/messages/problem.hpp"

namespace tideline::http {

struct FramingLimits {
  std::size_t body_bytes_max;
  std::size_t head_bytes_max;
  std::size_t header_count_max;
  std::size_t request_line_bytes_max;
};

enum class Progress {
  NeedHead,  // nothing, or the beginning of a head
  NeedBody,  // the head is complete
  Complete,  // take() the request
  Refused,   // refusal() says why; the stream cannot be understood any further
};

class RequestReader {
 public:
  // Whether a body may be larger than `limits` say: asked once its head is sound, with its length,
  // or without one when chunks have exceeded the limit. nullopt: it may, and is read to its end.
  using Larger =
      std::function<std::optional<Problem>(const Request& head, std::optional<std::size_t> length)>;

  // Without `larger` none may.
  explicit RequestReader(const FramingLimits& limits, Larger larger = nullptr);
  ~RequestReader();

  struct Step {
    Progress progress;
    std::size_t consumed;  // bytes of the input that are done with
  };
  // `input` begins where the last call stopped consuming: what was not consumed is shown again,
  // with what has arrived since behind it. Stops at the end of one request.
  Step advance(std::string_view input);

  // True once after a head that said "Expect: 100-continue" and whose body has not come yet.
  [[nodiscard]] bool take_continue();
  // Whether the connection may carry another request after the one that is complete.
  [[nodiscard]] bool keep_alive() const { return keep_alive_; }
  [[nodiscard]] bool is_http_1_0() const { return http_1_0_; }
  // Of the body that is being read, if its head tells; else 0.
  [[nodiscard]] std::size_t body_bytes() const { return length_; }
  // Lets go of a body that nobody waits for any more. Only advance() may not be called again.
  void abandon();
  // Without ids, principal and path parameters. Makes the reader ready for the next request.
  [[nodiscard]] Request take();
  [[nodiscard]] const Problem& refusal() const { return *refusal_; }

 private:
  struct Parser;

  // Each returns false, or nothing, after it has set refusal_.
  bool refuse(Problem problem);
  bool scan(std::string_view input);
  bool scan_byte(char byte);
  void pass_over_text(std::string_view input);
  bool end_line();
  bool read_head(std::string_view head);
  bool read_request_line(std::string_view line);
  bool read_field(std::string_view line);
  bool check_host();
  bool read_framing();
  bool read_transfer_encoding();
  bool read_content_length(std::string_view text);
  bool read_connection();
  bool admit_length();
  bool start_body(std::string_view head);
  Step read_body(std::string_view input, std::size_t consumed);

  const FramingLimits limits_;
  const Larger larger_;
  std::size_t scanned_ = 0;     // bytes of the head that scan() has seen
  std::size_t line_begin_ = 0;  // where the line being scanned begins
  std::size_t lines_ = 0;       // complete lines of the head
  char last_ = 0;               // the byte scanned last
  bool blank_line_skipped_ = false;
  bool head_complete_ = false;
  bool reading_body_ = false;
  bool has_body_ = false;
  std::size_t length_ = 0;  // Content-Length
  bool expects_continue_ = false;
  bool keep_alive_ = true;
  bool http_1_0_ = false;
  Request request_;
  std::unique_ptr<Parser> parser_;
  std::optional<Problem> refusal_;
};

}  // namespace tideline::http
