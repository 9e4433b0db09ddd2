#include "runtime/settings.hpp"

#include <string_view>

namespace tideline::runtime {
namespace {

// All three files, or none. What is wrong with one is told now: --check starts no server.
std::optional<http::TlsOptions> read_tls(core::Config& config) {
  http::TlsOptions tls;
  tls.identity.certificate = config.text("TIDELINE_HTTP_TLS_CERTIFICATE", "");
  tls.identity.key = config.text("TIDELINE_HTTP_TLS_KEY", "");
  tls.identity.authority = config.text("TIDELINE_HTTP_TLS_AUTHORITY", "");
  tls.clients = config.list("TIDELINE_HTTP_TLS_CLIENTS", {"gateway"});
  const auto& [certificate, key, authority] = tls.identity;
  if (certificate.empty() && key.empty() && authority.empty()) return std::nullopt;
  if (const auto loaded = http::TlsServer::load(tls, [](std::string_view) {}); !loaded) {
    config.add_error("TIDELINE_HTTP_TLS_CERTIFICATE, _KEY, _AUTHORITY, _CLIENTS",
                     loaded.error().message);
  }
  return tls;
}

http::ServerOptions read_server(core::Config& config) {
  http::ServerOptions server;
  const auto number = [&](std::string_view key, std::size_t fallback, std::int64_t min,
                          std::int64_t max) {
    return static_cast<std::size_t>(
        config.integer(key, static_cast<std::int64_t>(fallback), min, max));
  };
  const auto time = [&](std::string_view key, std::chrono::milliseconds& value) {
    value = config.duration_ms(key, value);
  };
  server.address = config.text("TIDELINE_HTTP_ADDRESS", server.address);
  server.port = static_cast<std::uint16_t>(number("TIDELINE_HTTP_PORT", 0, 0, 65535));
  server.reactor_threads = number("TIDELINE_HTTP_REACTORS", 1, 1, 64);
  server.worker_threads = number("TIDELINE_HTTP_WORKERS", 32, 1, 1024);
  server.queued_requests_max =
      number("TIDELINE_HTTP_QUEUE", server.queued_requests_max, 1, 1'000'000);
  server.connections_max =
      number("TIDELINE_HTTP_CONNECTIONS", server.connections_max, 1, 1'000'000);
  server.connections_per_source_max =
      number("TIDELINE_HTTP_CONNECTIONS_SOURCE", server.connections_per_source_max, 0, 1'000'000);
  server.streams_max = number("TIDELINE_HTTP_STREAMS", server.streams_max, 0, 1'000'000);
  server.streams_per_account_max =
      number("TIDELINE_HTTP_STREAMS_ACCOUNT", server.streams_per_account_max, 0, 1'000'000);
  server.body_bytes_max = number("TIDELINE_HTTP_BODY_BYTES", server.body_bytes_max, 1, 1 << 30);
  server.large_bodies_bytes_max =
      number("TIDELINE_HTTP_LARGE_BODIES_BYTES", server.large_bodies_bytes_max, 0, 1LL << 40);
  server.large_bodies_per_holder_max = number("TIDELINE_HTTP_LARGE_BODIES_ACCOUNT",
                                              server.large_bodies_per_holder_max, 0, 1'000'000);
  server.large_body_rate_min =
      number("TIDELINE_HTTP_LARGE_BODY_RATE", server.large_body_rate_min, 1, 1 << 30);
  server.head_bytes_max = number("TIDELINE_HTTP_HEAD_BYTES", server.head_bytes_max, 256, 1 << 20);
  server.header_count_max = number("TIDELINE_HTTP_HEADERS", server.header_count_max, 1, 10'000);
  server.request_line_bytes_max =
      number("TIDELINE_HTTP_LINE_BYTES", server.request_line_bytes_max, 16, 1 << 20);
  server.pipelined_bytes_max =
      number("TIDELINE_HTTP_AHEAD_BYTES", server.pipelined_bytes_max, 1024, 1 << 30);
  time("TIDELINE_POSITION_WAIT_MS", server.position_wait_max);
  time("TIDELINE_HTTP_FIRST_BYTE_MS", server.first_byte_timeout);
  time("TIDELINE_HTTP_PAUSE_MS", server.pause_timeout);
  time("TIDELINE_HTTP_HEAD_MS", server.header_timeout);
  time("TIDELINE_HTTP_BODY_MS", server.body_timeout);
  time("TIDELINE_HTTP_IDLE_MS", server.idle_timeout);
  time("TIDELINE_HTTP_WRITE_MS", server.write_timeout);
  time("TIDELINE_HTTP_HEARTBEAT_MS", server.heartbeat_interval);
  server.tls = read_tls(config);
  return server;
}

Migrations read_migrations(core::Config& config) {
  const std::string how = config.text("TIDELINE_MIGRATIONS", "run");
  if (how != "run" && how != "await") {
    config.add_error("TIDELINE_MIGRATIONS", "must be run or await");
  }
  return how == "await" ? Migrations::Await : Migrations::Run;
}

kafka::Brokers read_brokers(core::Config& config) {
  const std::string addresses = config.text("TIDELINE_KAFKA_BROKERS");
  const std::string file = config.text("TIDELINE_KAFKA_SECURITY_FILE", "");
  if (file.empty()) return addresses;
  auto secured = kafka::Brokers::secured(addresses, file);
  if (secured) return *std::move(secured);
  config.add_error("TIDELINE_KAFKA_SECURITY_FILE", secured.error().message);
  return addresses;
}

}  // namespace

CommonSettings CommonSettings::read(core::Config& config) {
  CommonSettings settings;
  settings.server = read_server(config);
  settings.health_port =
      static_cast<std::uint16_t>(config.integer("TIDELINE_HEALTH_PORT", 0, 0, 65535));
  settings.database_url = config.text("TIDELINE_DATABASE_URL");
  settings.database_connections =
      static_cast<std::size_t>(config.integer("TIDELINE_DATABASE_CONNECTIONS", 12, 2, 1000));
  settings.migrations = read_migrations(config);
  settings.kafka_brokers = read_brokers(config);
  settings.kafka_replication =
      static_cast<std::int16_t>(config.integer("TIDELINE_KAFKA_REPLICATION", 1, 1, 9));
  settings.logs = static_cast<std::uint32_t>(config.integer("TIDELINE_LOGS", 16, 1, 4096));
  auto places = parse_log_places(config.text("TIDELINE_LOG_DATABASES", ""), settings.logs);
  if (places) {
    settings.log_places = *std::move(places);
  } else {
    config.add_error("TIDELINE_LOG_DATABASES", places.error().message);
  }
  settings.account_secret_file = config.text("TIDELINE_ACCOUNT_SECRET_FILE");
  settings.jwt_public_keys = config.text("TIDELINE_JWT_PUBLIC_KEYS");
  settings.wrapping_keys = config.text("TIDELINE_WRAPPING_KEYS", "");
  settings.position_keys = config.text("TIDELINE_POSITION_KEYS", "");
  settings.campus_time_zone = config.text("TIDELINE_CAMPUS_TIME_ZONE", "UTC");
  settings.log_file = config.text("TIDELINE_LOG_FILE", "");
  const std::string level = config.text("TIDELINE_LOG_LEVEL", "info");
  if (const auto parsed = observability::parse_level(level)) {
    settings.log_level = *parsed;
  } else {
    config.add_error("TIDELINE_LOG_LEVEL", "must be debug, info, warning, error or off");
  }
  settings.slow_request = config.duration_ms("TIDELINE_SLOW_REQUEST_MS", settings.slow_request);
  settings.linger = config.duration_ms("TIDELINE_LINGER_MS", settings.linger);
  settings.drain = config.duration_ms("TIDELINE_DRAIN_MS", settings.drain);
  settings.otlp_endpoint = config.text("TIDELINE_OTLP_ENDPOINT", "");
  const auto& endpoint = settings.otlp_endpoint;
  const bool is_url = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  if (!endpoint.empty() && !is_url) {
    config.add_error("TIDELINE_OTLP_ENDPOINT", "must be the URL of a collector, with its path");
  }
  const auto percent = config.integer("TIDELINE_TRACES_PERCENT", 100, 0, 100);
  if (is_url) settings.server.traces_sampled = static_cast<double>(percent) / 100;
  return settings;
}

}  // namespace tideline::runtime
