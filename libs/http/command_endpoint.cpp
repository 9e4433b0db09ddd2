#include "http/command_endpoint.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/encoding.hpp"
#include "core/ids.hpp"

namespace tideline::http {
namespace {

using eventsourcing::PositionVector;

constexpr std::size_t kIdempotencyKeyMax = 255;

bool is_visible_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// 128 bits are plenty to tell one body from another under the same key of the same person.
std::string fingerprint(std::string_view body) {
  std::uint64_t one = 0xcbf29ce484222325ULL;
  std::uint64_t two = 0x9e3779b97f4a7c15ULL;
  for (const char letter : body) {
    one = (one ^ static_cast<std::uint8_t>(letter)) * 0x100000001b3ULL;
    two = (two + static_cast<std::uint8_t>(letter)) * 0xbf58476d1ce4e5b9ULL;
    two ^= two >> 31;
  }
  return std::to_string(one) + "." + std::to_string(two) + "." + std::to_string(body.size());
}

// "\"17\"" -> 17. Weak tags never match in If-Match (RFC 9110, 13.1.1).
std::optional<core::StreamVersion> parse_etag(std::string_view tag) {
  if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return std::nullopt;
  const std::string_view digits = tag.substr(1, tag.size() - 2);
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return core::StreamVersion(version);
}

// The request's token joined with what the command wrote.
void carry_position(const Request& request, const PositionVector& written, Response& response) {
  PositionVector joined = written;
  if (const auto sent = read_position(request)) joined.join(*sent);
  if (!joined.empty()) response.header(kPositionHeader, joined.to_token());
}

bool wait_for_all(const PositionVector& wanted, Models models) {
  const auto deadline = std::chrono::steady_clock::now() + kPositionWaitMax;
  for (eventsourcing::AppliedPositions& model : models) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (!model.wait_for(wanted, std::max(left, std::chrono::milliseconds(0)))) return false;
  }
  return true;
}

}  // namespace

Parsed<PositionVector> read_position(const Request& request) {
  const auto token = request.header(kPositionHeader);
  if (!token) return PositionVector{};
  auto vector = PositionVector::from_token(*token);
  if (!vector) return malformed("Tideline-Position is not a token that this suite has given");
  return *std::move(vector);
}

Response to_response(const eventsourcing::Rejection& rejection) {
  switch (rejection.kind) {
    case eventsourcing::RejectionKind::Conflict:
      return to_response(conflict(rejection.code, rejection.detail));
    case eventsourcing::RejectionKind::Invalid:
      return to_response(unprocessable(rejection.code, rejection.detail));
    case eventsourcing::RejectionKind::NotFound:
      return to_response(problem(404, rejection.code, "Not Found", rejection.detail));
    case eventsourcing::RejectionKind::Forbidden:
      return to_response(problem(403, rejection.code, "Forbidden", rejection.detail));
  }
  return to_response(internal_error());
}

Parsed<eventsourcing::CommandContext> CommandEndpoint::context(const Request& request) const {
  auto position = read_position(request);
  if (!position) return position.problem();

  eventsourcing::CommandContext context;
  context.now = clock_.now();
  context.metadata = {request.correlation_id, request.request_id, request.traceparent};

  eventsourcing::IdempotencyKey key;
  key.scope = request.principal ? request.principal->account.to_string() : "";
  key.route = std::string(name_of(request.method)) + " " + request.route_template;
  if (const auto sent = request.header("Idempotency-Key")) {
    if (sent->empty() || sent->size() > kIdempotencyKeyMax || !is_visible_ascii(*sent)) {
      return malformed("Idempotency-Key must be 1 to 255 visible ASCII characters");
    }
    key.key = std::string(*sent);
    key.body_hash = fingerprint(request.path + '\n' + request.body);
    context.idempotency = std::move(key);
  } else {
    // A key that nobody can send again still lets the store tell a commit of unknown outcome.
    std::array<std::uint8_t, 16> drawn{};
    random_.fill(drawn);
    key.key = core::to_base64url(drawn);
    key.body_hash = "";
    context.idempotency = std::move(key);
  }

  if (const auto tag = request.header("If-Match"); tag && *tag != "*") {
    const auto version = parse_etag(*tag);
    if (!version) return malformed("If-Match must be one entity tag like \"3\", or *");
    context.if_match = *version;
  }
  return context;
}

Response CommandEndpoint::run(const Request& request, const Body& body) const {
  const auto prepared = context(request);
  if (!prepared) return prepared.response();
  auto outcome = eventsourcing::run_command(store_, *prepared, body);
  if (!outcome) return to_response(from_error(outcome.error()));
  return respond(request, *outcome);
}

Response CommandEndpoint::respond(const Request& request,
                                  const eventsourcing::CommandOutcome& outcome) const {
  return std::visit(
      eventsourcing::Overloaded{
          [&](const eventsourcing::CommandDone& done) {
            Response response;
            response.status = done.result.status;
            response.body = done.result.body;
            if (!response.body.empty()) response.header("Content-Type", "application/json");
            if (!done.result.location.empty()) response.header("Location", done.result.location);
            if (!done.result.etag.empty()) {
              response.header("ETag", '"' + done.result.etag + '"');
            }
            carry_position(request, done.result.positions, response);
            return response;
          },
          [](const eventsourcing::Rejection& rejection) { return to_response(rejection); },
          [](const eventsourcing::PreconditionFailed& failed) {
            return to_response(precondition_failed("the resource stands at version " +
                                                   std::to_string(failed.actual.value())));
          },
          [](const eventsourcing::ConflictExhausted&) {
            return to_response(conflict("busy", "others change the same thing; try again"));
          },
          [](const eventsourcing::KeyReused&) {
            return to_response(unprocessable(
                "idempotency-key-reused", "this Idempotency-Key was used for another request"));
          },
      },
      outcome);
}

Response answer_query(const Request& request, Models models, WhenBehind when_behind,
                      const std::function<Response()>& query) {
  const auto wanted = read_position(request);
  if (!wanted) return wanted.response();
  const bool fresh = wait_for_all(*wanted, models);
  if (!fresh && when_behind == WhenBehind::Refuse) {
    return to_response(unavailable("what your position token names has not arrived here yet"));
  }
  Response response = query();
  carry_position(request, {}, response);
  if (!fresh) response.header(kStaleHeader, "true");
  return response;
}

std::optional<Response> await_models(const Request& request, Models models) {
  const auto wanted = read_position(request);
  if (!wanted) return wanted.response();
  if (wait_for_all(*wanted, models)) return std::nullopt;
  return to_response(unavailable("what your position token names has not arrived here yet"));
}

}  // namespace tideline::http
