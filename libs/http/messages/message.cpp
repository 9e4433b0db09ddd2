#include "http/messages/message.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace tideline::http {
namespace {

struct MethodName {
  Method method;
  std::string_view name;
};

constexpr std::array<MethodName, 7> kMethods{{{Method::Get, "GET"},
                                              {Method::Head, "HEAD"},
                                              {Method::Post, "POST"},
                                              {Method::Put, "PUT"},
                                              {Method::Patch, "PATCH"},
                                              {Method::Delete, "DELETE"},
                                              {Method::Options, "OPTIONS"}}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::array<bool, 256> make_token_bytes() {
  std::array<bool, 256> bytes{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
    bytes[static_cast<unsigned char>(c)] = true;
  for (char c = '0'; c <= '9'; ++c) bytes[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) bytes[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) bytes[static_cast<unsigned char>(c)] = true;
  return bytes;
}

constexpr std::array<bool, 256> kTokenBytes = make_token_bytes();

bool is_field_value(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kTokenBytes[static_cast<unsigned char>(c)];
  });
}

std::string_view trim_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view name_of(Method method) {
  for (const MethodName& entry : kMethods) {
    if (entry.method == method) return entry.name;
  }
  return "";
}

std::optional<Method> method_named(std::string_view name) {
  for (const MethodName& entry : kMethods) {
    if (entry.name == name) return entry.method;
  }
  return std::nullopt;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

void Headers::add(std::string_view name, std::string_view value) {
  CHECK(is_token(name), "a header name must be a token");
  CHECK(is_field_value(value), "a header value must not hold control bytes");
  fields_.emplace_back(name, value);
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& f) { return equal_ignoring_case(f.first, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (equal_ignoring_case(field.first, name)) return field.second;
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields_.begin(), fields_.end(),
                    [&](const Field& f) { return equal_ignoring_case(f.first, name); }));
}

std::string Headers::joined(std::string_view name) const {
  std::string all;
  for (const auto& [other, value] : fields_) {
    if (equal_ignoring_case(other, name)) all.append(all.empty() ? "" : ",").append(value);
  }
  return all;
}

std::string_view Request::param(std::string_view name) const {
  for (const auto& [key, value] : path_parameters) {
    if (key == name) return value;
  }
  CHECK(false, "the route's template has no such parameter");
  return {};
}

std::optional<std::string_view> Request::query(std::string_view name) const {
  for (const auto& [key, value] : query_parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  return headers.find(name);
}

const core::AccountId& Request::account() const {
  CHECK(principal.has_value(), "a public route has no caller");
  return principal->account;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response Response::json(int status, const Json& body) {
  return text(status, "application/json", text_of(body));
}

Response Response::text(int status, std::string_view media_type, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", media_type);
  response.body = std::move(body);
  return response;
}

Response Response::no_content() {
  Response response;
  response.status = 204;
  return response;
}

Response Response::defer(std::shared_ptr<DeferredResponse> deferred) {
  Response response;
  response.deferred = std::move(deferred);
  return response;
}

Response Response::event_stream(std::shared_ptr<EventStream> events) {
  Response response = text(200, "text/event-stream", {});
  response.events = std::move(events);
  return response;
}

Response& Response::header(std::string_view name, std::string_view value) & {
  headers.set(name, value);
  return *this;
}

Response&& Response::header(std::string_view name, std::string_view value) && {
  headers.set(name, value);
  return std::move(*this);
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      decoded.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return decoded;
}

}  // namespace tideline::http
