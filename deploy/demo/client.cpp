#include "demo/client.hpp"

#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <random>
#include <thread>

namespace tideline::demo {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::seconds kReadTimeout{15};

std::chrono::milliseconds pause_after(const http::response<http::string_body>& response) {
  const auto header = response[http::field::retry_after];
  if (header.empty()) return std::chrono::milliseconds(200);
  return std::chrono::seconds(std::max(1, std::atoi(std::string(header).c_str())));
}

}  // namespace

Endpoint parse_endpoint(const std::string& url) {
  const std::string scheme = "http://";
  const auto colon = url.rfind(':');
  if (!url.starts_with(scheme) || colon == std::string::npos || colon < scheme.size()) {
    throw std::invalid_argument("not a URL of the form http://host:port: " + url);
  }
  std::string port = url.substr(colon + 1);
  while (!port.empty() && port.back() == '/') port.pop_back();
  return {url.substr(scheme.size(), colon - scheme.size()), port};
}

struct Client::Connection {
  asio::io_context context;
  asio::ip::tcp::socket socket{context};
  boost::beast::flat_buffer buffer;

  void open(const Endpoint& endpoint) {
    asio::ip::tcp::resolver resolver(context);
    asio::connect(socket, resolver.resolve(endpoint.host, endpoint.port));
    socket.set_option(asio::ip::tcp::no_delay(true));
    timeval timeout{kReadTimeout.count(), 0};
    setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  }
};

Client::Client(Endpoint endpoint, Traffic& traffic, std::uint64_t seed)
    : endpoint_(std::move(endpoint)), traffic_(traffic), key_state_(seed) {}

Client::~Client() = default;

std::string Client::new_key() {
  // Keys must differ from those of every other client and every other run.
  static thread_local std::random_device device;
  return "demo-" + std::to_string(device()) + "-" + std::to_string(device()) + "-" +
         std::to_string(++key_state_);
}

Reply Client::exchange(const Call& call, const std::string& key) {
  if (!connection_) {
    auto fresh = std::make_unique<Connection>();
    fresh->open(endpoint_);
    connection_ = std::move(fresh);
  }
  http::request<http::string_body> request(http::string_to_verb(call.method), call.target, 11);
  request.set(http::field::host, endpoint_.host + ":" + endpoint_.port);
  if (!call.token.empty()) request.set(http::field::authorization, "Bearer " + call.token);
  if (!call.position.empty()) request.set("Tideline-Position", call.position);
  if (call.method != "GET") request.set("Idempotency-Key", key);
  if (!call.body.is_null()) {
    request.set(http::field::content_type, "application/json");
    request.body() = call.body.dump();
  }
  request.prepare_payload();
  http::write(connection_->socket, request);
  http::response_parser<http::string_body> parser;
  parser.body_limit(64U << 20U);
  http::read(connection_->socket, connection_->buffer, parser);
  ++traffic_.requests;
  const auto& response = parser.get();
  if (!response.keep_alive()) connection_.reset();

  Reply reply;
  reply.status = static_cast<int>(response.result_int());
  reply.body = response.body();
  reply.location = std::string(response[http::field::location]);
  reply.position = std::string(response["Tideline-Position"]);
  reply.stale = response["Tideline-Stale"] == "true";
  if (reply.status == 429 || reply.status == 503) {
    ++traffic_.retries;
    std::this_thread::sleep_for(pause_after(response));
  }
  return reply;
}

Reply Client::send(const Call& call) {
  const std::string key = new_key();
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  std::string trouble;
  while (std::chrono::steady_clock::now() < give_up) {
    try {
      Reply reply = exchange(call, key);
      if (reply.status != 429 && reply.status != 503) return reply;
      trouble = std::to_string(reply.status) + " " + reply.body;
    } catch (const boost::system::system_error& broken) {
      connection_.reset();
      ++traffic_.retries;
      trouble = broken.what();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  throw Surprise(call.method + " " + call.target + " got no answer for a minute: " + trouble);
}

Reply Client::expect(int status, const Call& call) {
  Reply reply = send(call);
  if (reply.status != status) {
    throw Surprise(call.method + " " + call.target + " answered " + std::to_string(reply.status) +
                   " instead of " + std::to_string(status) + ": " + reply.body);
  }
  return reply;
}

}  // namespace tideline::demo
