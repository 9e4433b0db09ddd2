// The edge as services run it (routes, tokens, metrics; no database), and what it is measured
// against and with.
//
//   serve --keys DIR   our server: /small for everybody, /mine for who is signed in
//   pistache           the same small answer by Pistache's own endpoint
//   load ...           requests at a fixed rate
//
// Servers run until they are ended.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "bench/http_servers.hpp"
#include "bench/report.hpp"
#include "crypto/token.hpp"
#include "http/routing/router.hpp"
#include "http/server/server.hpp"
#include "runtime/edge_adapters.hpp"

namespace {

using namespace tideline;

constexpr std::size_t kWorkers = 32;  // as the services have by default
constexpr std::chrono::hours kTokenLifetime{10};

http::Response small_answer(const http::Request&) {
  return http::Response::text(200, "application/json", std::string(bench::kSmallJson));
}

core::Result<std::string> make_token(const std::string& keys, const core::Clock& clock) {
  const auto signer =
      crypto::TokenSigner::load(keys + "/bench.pem", {.claims = {}, .lifetime = kTokenLifetime});
  if (!signer) return signer.error();
  core::AccountId::Bytes bytes{};
  bytes.fill(7);
  auto made = signer->sign({core::AccountId(bytes), {"user"}}, clock.now());
  if (!made) return made.error();
  return made->token;
}

int serve(const std::string& keys) {
  core::SystemClock clock;
  const auto token = make_token(keys, clock);
  if (!token) return bench::failed(token.error().message);
  auto verifier = crypto::TokenVerifier::load(keys + "/public");
  if (!verifier) return bench::failed(verifier.error().message);

  observability::Logging logging({"bench", observability::Level::Error, {}, {}}, clock);
  observability::Metrics metrics;
  runtime::RecordingObserver observer(
      observability::RequestRecorder(metrics, logging.logger("http")), logging.logger("http"),
      clock);
  http::Router router(std::make_shared<http::CachingTokenVerifier>(
                          std::make_shared<runtime::JwtVerifier>(*std::move(verifier))),
                      clock);
  router.add(http::Method::Get, "/small", http::Access::Public, small_answer);
  router.add(http::Method::Get, "/mine", http::Access::SignedIn, small_answer);
  http::ServerOptions options;
  options.reactor_threads = 1;
  options.worker_threads = kWorkers;
  http::Server server(options, router, clock, &observer);
  const auto started = server.start();
  if (!started) return bench::failed(started.error().message);
  bench::announce(server.port(), *token);
  pause();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("http");
  app.require_subcommand(1);
  std::string keys;
  auto* ours = app.add_subcommand("serve");
  ours->add_option("--keys", keys)->required();
  auto* stock = app.add_subcommand("pistache");
  bench::Load load;
  auto* generator = app.add_subcommand("load");
  generator->add_option("--port", load.port)->required();
  generator->add_option("--connections", load.connections);
  generator->add_option("--rate", load.rate)->required();
  generator->add_option("--seconds", load.seconds);
  CLI11_PARSE(app, argc, argv);
  if (ours->parsed()) return serve(keys);
  if (stock->parsed()) return bench::serve_with_pistache();
  return bench::generate(load);
}
