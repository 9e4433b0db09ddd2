#include "demo/client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include <optional>
#include <random>
#include <regex>
#include <thread>

namespace tideline::demo {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
namespace http = boost::beast::http;

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::seconds kStepTimeout{15};

std::chrono::milliseconds pause_after(const http::response<http::string_body>& response) {
  const auto header = response[http::field::retry_after];
  if (header.empty()) return std::chrono::milliseconds(200);
  return std::chrono::seconds(std::max(1, std::atoi(std::string(header).c_str())));
}

const char* default_port(bool tls) { return tls ? "443" : "80"; }

// The Host header: some servers know their names only without the port that everybody expects.
std::string host_of(const Endpoint& endpoint) {
  if (endpoint.port == default_port(endpoint.tls)) return endpoint.host;
  return endpoint.host + ":" + endpoint.port;
}

}  // namespace

Endpoint parse_endpoint(const std::string& url) {
  static const std::regex form("(https?)://([^/:]+)(?::([0-9]+))?/?");
  std::smatch parts;
  if (!std::regex_match(url, parts, form)) {
    throw std::invalid_argument("not a URL of the form http[s]://host[:port]: " + url);
  }
  Endpoint endpoint;
  endpoint.tls = parts[1] == "https";
  endpoint.host = parts[2];
  endpoint.port = parts[3].matched ? parts[3].str() : default_port(endpoint.tls);
  return endpoint;
}

// Asynchronous underneath: a blocking read of Asio knows no timeout.
struct Client::Connection {
  asio::io_context context;
  boost::beast::tcp_stream stream{context};
  ssl::context tls{ssl::context::tls_client};
  // Around the stream, where TLS is spoken.
  std::optional<ssl::stream<boost::beast::tcp_stream&>> secure;
  boost::beast::flat_buffer buffer;

  // start(handler) begins one operation; returns when it is done, throws when it failed.
  template <class Start>
  void step(const Start& start) {
    boost::system::error_code outcome;
    stream.expires_after(kStepTimeout);
    start([&](boost::system::error_code code, const auto&...) { outcome = code; });
    context.restart();
    context.run();
    if (outcome) throw boost::system::system_error(outcome);
  }

  void open(const Endpoint& endpoint) {
    asio::ip::tcp::resolver resolver(context);
    const std::string& host = endpoint.at.empty() ? endpoint.host : endpoint.at;
    const auto addresses = resolver.resolve(host, endpoint.port);
    step([&](auto done) { stream.async_connect(addresses, done); });
    stream.socket().set_option(asio::ip::tcp::no_delay(true));
    if (endpoint.tls) begin_tls(endpoint);
  }

  void begin_tls(const Endpoint& endpoint) {
    tls.set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
    if (endpoint.authority_file.empty()) {
      tls.set_default_verify_paths();
    } else {
      tls.load_verify_file(endpoint.authority_file);
    }
    tls.set_verify_mode(ssl::verify_peer);
    tls.set_verify_callback(ssl::host_name_verification(endpoint.host));
    secure.emplace(stream, tls);
    SSL_set_tlsext_host_name(secure->native_handle(), endpoint.host.c_str());
    step([&](auto done) { secure->async_handshake(ssl::stream_base::client, done); });
  }

  template <class Message>
  void write(Message& message) {
    step([&](auto done) {
      secure ? http::async_write(*secure, message, done) : http::async_write(stream, message, done);
    });
  }

  template <class Parser>
  void read(Parser& parser) {
    step([&](auto done) {
      secure ? http::async_read(*secure, buffer, parser, done)
             : http::async_read(stream, buffer, parser, done);
    });
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

Reply Client::exchange(const Call& call) {
  if (!connection_) {
    auto fresh = std::make_unique<Connection>();
    fresh->open(endpoint_);
    connection_ = std::move(fresh);
  }
  http::request<http::string_body> request(http::string_to_verb(call.method), call.target, 11);
  request.set(http::field::host, host_of(endpoint_));
  if (!call.token.empty()) request.set(http::field::authorization, "Bearer " + call.token);
  if (!call.position.empty()) request.set("Tideline-Position", call.position);
  if (!call.key.empty()) request.set("Idempotency-Key", call.key);
  if (!call.correlation_id.empty()) request.set("X-Correlation-Id", call.correlation_id);
  if (!call.body.is_null()) {
    request.set(http::field::content_type, "application/json");
    request.body() = call.body.dump();
  }
  if (!call.bytes.empty()) {
    request.set(http::field::content_type, "application/octet-stream");
    request.body() = call.bytes;
  }
  if (!call.range.empty()) request.set(http::field::range, call.range);
  request.prepare_payload();
  connection_->write(request);
  http::response_parser<http::string_body> parser;
  parser.body_limit(64U << 20U);
  connection_->read(parser);
  ++traffic_.requests;
  const auto& response = parser.get();
  Reply reply;
  reply.status = static_cast<int>(response.result_int());
  reply.body = response.body();
  reply.location = std::string(response[http::field::location]);
  reply.position = std::string(response["Tideline-Position"]);
  reply.stale = response["Tideline-Stale"] == "true";
  reply.retry_after = pause_after(response);
  if (!response.keep_alive()) connection_.reset();
  return reply;
}

Reply Client::once(const Call& call) {
  try {
    return exchange(call);
  } catch (const boost::system::system_error& broken) {
    connection_.reset();
    throw Unanswered(broken.what());
  }
}

Reply Client::send(const Call& call) {
  Call keyed = call;
  if (keyed.key.empty() && call.method != "GET") keyed.key = new_key();
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  std::string trouble;
  while (std::chrono::steady_clock::now() < give_up) {
    try {
      Reply reply = once(keyed);
      if (reply.status != 429 && reply.status != 503) return reply;
      trouble = std::to_string(reply.status) + " " + reply.body;
      std::this_thread::sleep_for(reply.retry_after);
    } catch (const Unanswered& broken) {
      trouble = broken.what();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    ++traffic_.retries;
  }
  throw UnexpectedAnswer(call.method + " " + call.target +
                         " got no answer for a minute: " + trouble);
}

Reply Client::expect(int status, const Call& call) {
  Reply reply = send(call);
  if (reply.status != status) {
    throw UnexpectedAnswer(call.method + " " + call.target + " answered " +
                           std::to_string(reply.status) + " instead of " + std::to_string(status) +
                           ": " + reply.body);
  }
  return reply;
}

}  // namespace tideline::demo
