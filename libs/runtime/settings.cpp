#include "runtime/settings.hpp"

namespace tideline::runtime {

CommonSettings CommonSettings::read(core::Config& config) {
  CommonSettings settings;
  auto& server = settings.server;
  server.address = config.text("TIDELINE_HTTP_ADDRESS", "127.0.0.1");
  server.port = static_cast<std::uint16_t>(config.integer("TIDELINE_HTTP_PORT", 0, 0, 65535));
  server.reactor_threads =
      static_cast<std::size_t>(config.integer("TIDELINE_HTTP_REACTORS", 1, 1, 64));
  server.worker_threads =
      static_cast<std::size_t>(config.integer("TIDELINE_HTTP_WORKERS", 32, 1, 1024));
  server.queued_requests_max =
      static_cast<std::size_t>(config.integer("TIDELINE_HTTP_QUEUE", 1024, 1, 1'000'000));
  server.connections_max =
      static_cast<std::size_t>(config.integer("TIDELINE_HTTP_CONNECTIONS", 10'000, 1, 1'000'000));
  settings.database_url = config.text("TIDELINE_DATABASE_URL");
  settings.database_connections =
      static_cast<std::size_t>(config.integer("TIDELINE_DATABASE_CONNECTIONS", 12, 2, 1000));
  settings.kafka_brokers = config.text("TIDELINE_KAFKA_BROKERS");
  settings.kafka_replication =
      static_cast<std::int16_t>(config.integer("TIDELINE_KAFKA_REPLICATION", 1, 1, 9));
  settings.logs = static_cast<std::uint32_t>(config.integer("TIDELINE_LOGS", 16, 1, 4096));
  auto places = parse_log_places(config.text("TIDELINE_LOG_DATABASES", ""), settings.logs);
  if (places) {
    settings.log_places = *std::move(places);
  } else {
    config.complain("TIDELINE_LOG_DATABASES", places.error().message);
  }
  settings.account_secret_file = config.text("TIDELINE_ACCOUNT_SECRET_FILE");
  settings.jwt_public_keys = config.text("TIDELINE_JWT_PUBLIC_KEYS");
  settings.campus_time_zone = config.text("TIDELINE_CAMPUS_TIME_ZONE", "UTC");
  const std::string level = config.text("TIDELINE_LOG_LEVEL", "info");
  if (const auto parsed = observability::parse_level(level)) {
    settings.log_level = *parsed;
  } else {
    config.complain("TIDELINE_LOG_LEVEL", "must be debug, info, warning, error or off");
  }
  settings.slow_request = config.duration_ms("TIDELINE_SLOW_REQUEST_MS", settings.slow_request);
  settings.drain = config.duration_ms("TIDELINE_DRAIN_MS", settings.drain);
  settings.otlp_endpoint = config.text("TIDELINE_OTLP_ENDPOINT", "");
  const auto& endpoint = settings.otlp_endpoint;
  const bool is_url = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  if (!endpoint.empty() && !is_url) {
    config.complain("TIDELINE_OTLP_ENDPOINT", "must be the URL of a collector, with its path");
  }
  const auto percent = config.integer("TIDELINE_TRACES_PERCENT", 100, 0, 100);
  if (is_url) server.traces_sampled = static_cast<double>(percent) / 100;
  return settings;
}

}  // namespace tideline::runtime
