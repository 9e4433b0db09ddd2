#include "http/server/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <charconv>

#include "core/check.hpp"
#include "http/messages/request_target.hpp"

namespace tideline::http {
namespace {

namespace beast = boost::beast;

constexpr std::size_t kLastChunkBytes = std::string_view("0\r\n\r\n").size();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

Problem not_implemented(std::string detail) {
  return problem(501, "not-implemented", "The server does not do this", std::move(detail));
}

// Whether a comma-separated list has this word.
bool list_has(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (equal_ignoring_case(trim_blanks(list.substr(0, comma)), word)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

bool has_bare_line_feed(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return true;
  }
  return false;
}

}  // namespace

struct RequestReader::Parser {
  beast::http::request_parser<beast::http::string_body> beast;
};

RequestReader::RequestReader(const FramingLimits& limits, Larger larger)
    : limits_(limits), larger_(std::move(larger)) {}
RequestReader::~RequestReader() = default;

bool RequestReader::refuse(Problem problem) {
  refusal_ = std::move(problem);
  return false;
}

RequestReader::Step RequestReader::advance(std::string_view input) {
  if (refusal_) return {Progress::Refused, 0};
  if (reading_body_) return read_body(input, 0);
  std::size_t skipped = 0;
  // RFC 9112, 2.2: one empty line ahead of a request is forgiven.
  if (scanned_ == 0 && !blank_line_skipped_ && input.starts_with("\r\n")) {
    blank_line_skipped_ = true;
    skipped = 2;
    input.remove_prefix(2);
  } else if (scanned_ == 0 && !blank_line_skipped_ && input == "\r") {
    return {Progress::NeedHead, 0};
  }
  if (!scan(input)) return {Progress::Refused, 0};
  if (!head_complete_) return {Progress::NeedHead, skipped};
  const std::string_view head = input.substr(0, scanned_);
  if (!read_head(head) || !admit_length() || !start_body(head)) return {Progress::Refused, 0};
  return read_body(input.substr(head.size()), skipped + head.size());
}

bool RequestReader::scan(std::string_view input) {
  while (scanned_ < input.size() && !head_complete_) {
    if (scanned_ >= limits_.head_bytes_max) {
      return refuse(
          problem(431, "head-too-large", "The header fields are too large",
                  "a head has at most " + std::to_string(limits_.head_bytes_max) + " bytes"));
    }
    if (lines_ == 0 && scanned_ >= limits_.request_line_bytes_max + 2) {
      return refuse(problem(414, "uri-too-long", "The request line is too long",
                            "a request line has at most " +
                                std::to_string(limits_.request_line_bytes_max) + " bytes"));
    }
    if (!scan_byte(input[scanned_])) return false;
    pass_over_text(input);
  }
  return true;
}

// Nearly all of a head: bytes that change nothing but how many there are.
void RequestReader::pass_over_text(std::string_view input) {
  if (last_ == '\r' || scanned_ == line_begin_) return;
  std::size_t end = std::min(input.size(), limits_.head_bytes_max);
  if (lines_ == 0) end = std::min(end, limits_.request_line_bytes_max + 2);
  std::size_t at = scanned_;
  while (at < end && input[at] >= 0x20 && input[at] != 0x7f) ++at;
  if (at == scanned_) return;
  scanned_ = at;
  last_ = input[at - 1];
}

bool RequestReader::scan_byte(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  const bool at_line_begin = scanned_ == line_begin_;
  if (last_ == '\r' && byte != '\n') return refuse(malformed("a carriage return stands alone"));
  if (byte == '\n' && last_ != '\r') return refuse(malformed("a line feed stands alone"));
  if ((code < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || code == 0x7f) {
    return refuse(malformed("the head has a control byte"));
  }
  if (at_line_begin && is_blank(byte)) return refuse(malformed("folded lines are not accepted"));
  last_ = byte;
  ++scanned_;
  return byte != '\n' || end_line();
}

bool RequestReader::end_line() {
  const bool empty = scanned_ - line_begin_ == 2;
  line_begin_ = scanned_;
  if (empty && lines_ == 0) return refuse(malformed("there is no request line"));
  if (empty) {
    head_complete_ = true;
    return true;
  }
  ++lines_;
  if (lines_ > limits_.header_count_max + 1) {
    return refuse(problem(
        431, "too-many-header-fields", "There are too many header fields",
        "a request has at most " + std::to_string(limits_.header_count_max) + " header fields"));
  }
  return true;
}

bool RequestReader::read_head(std::string_view head) {
  std::size_t end = head.find("\r\n");
  if (!read_request_line(head.substr(0, end))) return false;
  for (std::size_t begin = end + 2; begin + 2 < head.size(); begin = end + 2) {
    end = head.find("\r\n", begin);
    if (!read_field(head.substr(begin, end - begin))) return false;
  }
  return check_host() && read_framing() && read_connection();
}

bool RequestReader::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = line.rfind(' ');
  if (first == std::string_view::npos || first == second) {
    return refuse(malformed("a request line is: method, target, version"));
  }
  const std::string_view method_name = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  const bool is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                          version[5] >= '0' && version[5] <= '9' && version[6] == '.' &&
                          version[7] >= '0' && version[7] <= '9';
  if (!is_version || !is_token(method_name)) return refuse(malformed("the request line is wrong"));
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(
        problem(505, "version-not-supported", "The version is not supported", "speak HTTP/1.1"));
  }
  http_1_0_ = version == "HTTP/1.0";
  const auto method = method_named(method_name);
  if (!method) return refuse(not_implemented("the method is not known here"));
  request_.method = *method;
  auto parsed = parse_target(target, *method);
  if (!parsed) return refuse(malformed("the request target is not acceptable"));
  request_.path = std::move(parsed->path);
  request_.query_parameters = std::move(parsed->query);
  return true;
}

bool RequestReader::read_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return refuse(malformed("a header field is: name, colon, value"));
  }
  request_.headers.add(line.substr(0, colon), trim_blanks(line.substr(colon + 1)));
  return true;
}

bool RequestReader::check_host() {
  const std::size_t hosts = request_.headers.count("Host");
  if (hosts > 1 || (hosts == 0 && !http_1_0_)) {
    return refuse(malformed("exactly one Host header is needed"));
  }
  if (hosts == 1 && !is_authority(*request_.header("Host"))) {
    return refuse(malformed("the Host header is wrong"));
  }
  return true;
}

bool RequestReader::read_framing() {
  const std::size_t lengths = request_.headers.count("Content-Length");
  const std::size_t encodings = request_.headers.count("Transfer-Encoding");
  if (lengths > 1) return refuse(malformed("there are several Content-Length headers"));
  if (lengths == 1 && encodings > 0) {
    return refuse(malformed("Content-Length and Transfer-Encoding exclude each other"));
  }
  if (encodings > 0) return read_transfer_encoding();
  if (lengths == 1) return read_content_length(*request_.header("Content-Length"));
  const bool wants_body = request_.method == Method::Post || request_.method == Method::Put ||
                          request_.method == Method::Patch;
  if (http_1_0_ && wants_body) {
    return refuse(problem(411, "length-required", "A length is needed",
                          "send Content-Length, or speak HTTP/1.1"));
  }
  return true;
}

bool RequestReader::read_transfer_encoding() {
  if (http_1_0_) return refuse(malformed("HTTP/1.0 has no Transfer-Encoding"));
  if (request_.headers.count("Transfer-Encoding") > 1) {
    return refuse(malformed("there are several Transfer-Encoding headers"));
  }
  if (!equal_ignoring_case(*request_.header("Transfer-Encoding"), "chunked")) {
    return refuse(not_implemented("the only transfer encoding here is chunked"));
  }
  has_body_ = true;
  return true;
}

bool RequestReader::read_content_length(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(),
                                                   [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return refuse(malformed("Content-Length is not a number"));
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), length_);
  if (error != std::errc{}) return refuse(content_too_large(limits_.body_bytes_max));
  has_body_ = length_ > 0;
  return true;
}

bool RequestReader::admit_length() {
  if (length_ <= limits_.body_bytes_max) return true;
  auto refusal = larger_ ? larger_(request_, length_) : content_too_large(limits_.body_bytes_max);
  return !refusal || refuse(*std::move(refusal));
}

bool RequestReader::read_connection() {
  bool close = false;
  bool keep = false;
  for (const auto& [name, value] : request_.headers) {
    if (!equal_ignoring_case(name, "Connection")) continue;
    close = close || list_has(value, "close");
    keep = keep || list_has(value, "keep-alive");
  }
  keep_alive_ = !close && (!http_1_0_ || keep);
  const auto expect = request_.header("Expect");
  if (!expect || http_1_0_) return true;
  if (!equal_ignoring_case(*expect, "100-continue")) {
    return refuse(problem(417, "expectation-failed", "The expectation cannot be met",
                          "the only expectation here is 100-continue"));
  }
  expects_continue_ = has_body_;
  return true;
}

bool RequestReader::start_body(std::string_view head) {
  parser_ = std::make_unique<Parser>();
  auto& parser = parser_->beast;
  parser.header_limit(static_cast<std::uint32_t>(head.size()));
  parser.body_limit(std::max(limits_.body_bytes_max, length_));
  beast::error_code error;
  const std::size_t used = parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (error || used != head.size() || !parser.is_header_done()) {
    return refuse(malformed("the head is malformed"));
  }
  parser.eager(true);
  reading_body_ = true;
  return true;
}

RequestReader::Step RequestReader::read_body(std::string_view input, std::size_t consumed) {
  auto& parser = parser_->beast;
  // Beast takes it for granted that it sees the least that can follow, the last chunk, in one
  // piece.
  const std::size_t least = parser.chunked() ? kLastChunkBytes : 1;
  while (!parser.is_done() && input.size() >= least) {
    beast::error_code error;
    const std::size_t used = parser.put(boost::asio::buffer(input.data(), input.size()), error);
    input.remove_prefix(used);
    consumed += used;
    if (used > 0) expects_continue_ = false;
    if (error == beast::http::error::need_more) break;
    if (error == beast::http::error::body_limit) {
      const auto refusal = larger_ ? larger_(request_, std::nullopt) : std::nullopt;
      refuse(refusal.value_or(content_too_large(limits_.body_bytes_max)));
      return {Progress::Refused, consumed};
    }
    if (error || used == 0) {
      refuse(malformed("the body is malformed"));
      return {Progress::Refused, consumed};
    }
  }
  if (parser.is_done()) return {Progress::Complete, consumed};
  if (input.size() < least) return {Progress::NeedBody, consumed};
  // What the parser keeps back is a chunk's size line or the trailer: as bounded as a head.
  if (input.size() > limits_.head_bytes_max) {
    refuse(malformed("a chunk's extension, or the trailer, is too large"));
    return {Progress::Refused, consumed};
  }
  // The parser would wait for ever for the line's proper end.
  if (has_bare_line_feed(input)) {
    refuse(malformed("a line feed stands alone"));
    return {Progress::Refused, consumed};
  }
  return {Progress::NeedBody, consumed};
}

bool RequestReader::take_continue() { return std::exchange(expects_continue_, false); }

void RequestReader::abandon() { parser_.reset(); }

Request RequestReader::take() {
  CHECK(reading_body_ && parser_->beast.is_done(), "the request is not complete");
  Request request = std::move(request_);
  request.body = std::move(parser_->beast.get().body());
  request_ = Request();
  parser_.reset();
  scanned_ = line_begin_ = lines_ = length_ = 0;
  last_ = 0;
  blank_line_skipped_ = head_complete_ = reading_body_ = has_body_ = expects_continue_ = false;
  return request;
}

}  // namespace tideline::http
