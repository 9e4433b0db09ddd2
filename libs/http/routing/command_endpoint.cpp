#include "http/routing/command_endpoint.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "core/encoding.hpp"
#include "http/routing/deferred_response.hpp"
#include "http/routing/position_waits.hpp"

namespace tideline::http {
namespace {

namespace es = eventsourcing;

constexpr std::size_t kKeyBytesMax = 255;
// Each look is the handler anew, of as many requests as wait.
constexpr std::chrono::milliseconds kNextLook{200};

// Each part is preceded by its length, so that no two different requests feed the same bytes.
class RequestDigest {
 public:
  RequestDigest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "SHA-256");
  }

  void add(std::string_view part) {
    const std::string length = std::to_string(part.size()) + ":";
    update(length);
    update(part);
  }

  std::string finish() {
    std::array<std::uint8_t, 32> digest{};
    unsigned size = 0;
    CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1 && size == digest.size(),
          "SHA-256");
    return core::to_hex(digest);
  }

 private:
  void update(std::string_view bytes) {
    CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "SHA-256");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string digest_of(const Request& request) {
  RequestDigest digest;
  digest.add(request.path);
  for (const auto& [name, value] : request.query_parameters) {
    digest.add(name);
    digest.add(value);
  }
  // A count would do as well: it keeps a parameter from passing for what follows.
  digest.add(std::to_string(request.query_parameters.size()));
  digest.add(request.header("If-Match").value_or(""));
  digest.add(request.body);
  return digest.finish();
}

Parsed<std::optional<std::string>> read_key(const Request& request) {
  const std::size_t count = request.headers.count("Idempotency-Key");
  if (count == 0) return std::optional<std::string>();
  const std::string_view key = *request.header("Idempotency-Key");
  const bool visible =
      std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (count > 1 || key.empty() || key.size() > kKeyBytesMax || !visible) {
    return malformed("Idempotency-Key is one value of 1 to 255 visible ASCII characters");
  }
  return std::optional(std::string(key));
}

Parsed<std::optional<core::StreamVersion>> read_if_match(const Request& request) {
  const auto header = request.header("If-Match");
  if (!header || *header == "*") return std::optional<core::StreamVersion>();
  const auto tags = parse_entity_tags(*header);
  if (!tags || tags->size() != 1 || request.headers.count("If-Match") != 1) {
    return malformed("If-Match takes exactly one entity tag, as ETag gave it");
  }
  const auto version = version_of(tags->front());
  if (!version) return precondition_failed("the entity tag does not match");
  return version;
}

Response done_response(const es::CommandDone& done, const es::PositionVector& seen) {
  Response response;
  response.status = done.result.status;
  response.body = done.result.body;
  if (!response.body.empty()) response.headers.set("Content-Type", "application/json");
  if (!done.result.location.empty()) response.headers.set("Location", done.result.location);
  if (!done.result.etag.empty()) {
    response.headers.set("ETag", "\"" + done.result.etag + "\"");
  }
  es::PositionVector positions = seen;
  positions.join(done.result.positions);
  // An empty one too, which asks for nothing: a client finds a token in every answer.
  response.headers.set(kPositionHeader, positions.to_token());
  return response;
}

Response outcome_response(const es::CommandOutcome& outcome, const es::PositionVector& seen) {
  return std::visit(
      es::Overloaded{
          [&](const es::CommandDone& done) { return done_response(done, seen); },
          [](const es::Rejection& rejection) { return to_response(rejection); },
          [](const es::PreconditionFailed& failed) {
            Response response =
                to_response(precondition_failed("the resource is not at the version of If-Match"));
            if (failed.actual.value() > 0) response.headers.set("ETag", entity_tag(failed.actual));
            return response;
          },
          [](const es::ConflictExhausted&) {
            return to_response(
                conflict("concurrent-changes", "others kept changing the same thing, try again"));
          },
          [](const es::KeyReused&) {
            return to_response(unprocessable(
                "idempotency-key-reused", "this Idempotency-Key came with another request before"));
          },
      },
      outcome);
}

bool cover(Models models, const es::PositionVector& wanted) {
  return std::all_of(models.begin(), models.end(),
                     [&](const es::AppliedPositions& model) { return model.covers(wanted); });
}

// The models are waited for one after the other, but for one deadline.
bool wait_for_all(const es::PositionVector& wanted, Models models) {
  using Steady = std::chrono::steady_clock;
  const auto deadline = Steady::now() + PositionWaits::kWaitMax;
  for (es::AppliedPositions& model : models) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
    if (!model.wait_for(wanted, std::max(left, std::chrono::milliseconds{0}))) return false;
  }
  return true;
}

// Until when it may; nullopt: no longer.
std::optional<std::chrono::steady_clock::time_point> time_to_wait(const Request& request) {
  const auto now = std::chrono::steady_clock::now();
  auto& until = request.position_wait.until;
  if (!until) until = now + request.position_waits->wait_max();
  return now < *until ? until : std::nullopt;
}

// Ends the handler, if there is room to wait.
void leave(const Request& request, std::shared_ptr<DeferredResponse> later) {
  if (later == nullptr) return;
  request.position_wait.under_way = true;
  throw AnsweredLater(Response::defer(std::move(later)));
}

Problem behind() {
  return unavailable("what you have just written is not visible here yet, try again");
}

}  // namespace

bool await_positions(const Request& request, const es::PositionVector& wanted, Models models) {
  if (wanted.empty() || cover(models, wanted)) return true;
  if (request.position_waits == nullptr) return wait_for_all(wanted, models);
  const auto until = time_to_wait(request);
  if (!until) return false;
  for (es::AppliedPositions& model : models) {
    if (model.covers(wanted)) continue;
    leave(request, request.position_waits->put_aside(wanted, model, *until));
    return false;
  }
  return true;
}

bool await_condition(const Request& request, const std::function<bool()>& is_met) {
  if (is_met()) return true;
  if (request.position_waits == nullptr) return false;
  const auto until = time_to_wait(request);
  if (!until) return false;
  const auto next = std::chrono::steady_clock::now() + kNextLook;
  leave(request, request.position_waits->put_aside(std::min(next, *until)));
  return false;
}

Parsed<es::PositionVector> read_position(const Request& request) {
  const std::size_t count = request.headers.count(kPositionHeader);
  if (count == 0) return es::PositionVector();
  auto positions = es::PositionVector::from_token(*request.header(kPositionHeader));
  if (!positions || count > 1) {
    return malformed("Tideline-Position is not a token that this system gave out");
  }
  return std::move(*positions);
}

Parsed<es::CommandContext> CommandEndpoint::context(const Request& request) const {
  auto key = read_key(request);
  if (!key) return key.problem();
  if (request.headers.count("If-None-Match") > 0) {
    return malformed("If-None-Match is for reading; a change takes If-Match");
  }
  auto if_match = read_if_match(request);
  if (!if_match) return if_match.problem();
  auto seen = read_position(request);
  if (!seen) return seen.problem();
  es::CommandContext made;
  made.now = clock_.now();
  made.metadata = {request.correlation_id, request.request_id, request.traceparent};
  if (*key) {
    made.idempotency =
        es::IdempotencyKey{request.principal ? request.principal->account.to_string() : "",
                           std::string(name_of(request.method)) + " " + request.route_template,
                           *std::move(*key), digest_of(request)};
  }
  made.if_match = *if_match;
  made.seen = *std::move(seen);
  made.today = campus_.day_of(made.now);
  if (request.principal) made.answers = {sealer_, request.principal->account};
  return made;
}

Response CommandEndpoint::run(const Request& request, const Body& body) const {
  const auto prepared = context(request);
  if (!prepared) return prepared.response();
  auto outcome = es::run_command(store_, *prepared, body);
  if (!outcome) return to_response(from_error(outcome.error()));
  return outcome_response(*outcome, prepared->seen);
}

Response CommandEndpoint::answer(const Request& request, const Body& body) const {
  const auto prepared = context(request);
  if (!prepared) return prepared.response();
  auto deferred = std::make_shared<DeferredResponse>();
  const auto done = [deferred, seen = prepared->seen](const auto& outcome) {
    if (!outcome) return deferred->give(to_response(from_error(outcome.error())));
    if (!*outcome) return deferred->retry();
    deferred->give(outcome_response(**outcome, seen));
  };
  es::attempt_command(store_, *prepared, request.attempt, body, done);
  return Response::defer(std::move(deferred));
}

Response to_response(const es::Rejection& rejection) {
  switch (rejection.kind) {
    case es::RejectionKind::Conflict:
      return to_response(conflict(rejection.code, rejection.detail));
    case es::RejectionKind::Invalid:
      return to_response(unprocessable(rejection.code, rejection.detail));
    case es::RejectionKind::NotFound:
      return to_response(problem(404, rejection.code, "Not found", rejection.detail));
    case es::RejectionKind::Forbidden:
      return to_response(
          problem(403, rejection.code, "The caller may not do this", rejection.detail));
  }
  CHECK(false, "a rejection has one of its kinds");
  return {};
}

Response answer_query(const Request& request, Models models, WhenBehind when_behind,
                      const std::function<Response()>& query) {
  const auto wanted = read_position(request);
  if (!wanted) return wanted.response();
  bool fresh = false;
  try {
    fresh = await_positions(request, *wanted, models);
  } catch (const AnsweredLater& later) {
    return later.response();
  }
  if (!fresh && when_behind == WhenBehind::Refuse) return to_response(behind());
  Response response = answer_of(query);
  if (response.deferred) return response;
  // A model may have gone back to its tables meanwhile.
  fresh = fresh && (wanted->empty() || cover(models, *wanted));
  if (!fresh && when_behind == WhenBehind::Refuse) return to_response(behind());
  if (!fresh) response.headers.set(kStaleHeader, "true");
  if (!wanted->empty()) response.headers.set(kPositionHeader, wanted->to_token());
  return response;
}

void await_models(const Request& request, Models models) {
  const auto wanted = value_of(read_position(request));
  if (!await_positions(request, wanted, models)) refuse(behind());
}

}  // namespace tideline::http
