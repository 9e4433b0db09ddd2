#include "http/routing/router.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/check.hpp"
#include "http/messages/problem.hpp"
#include "http/routing/deferred_response.hpp"
#include "http/routing/event_stream.hpp"

namespace tideline::http {
namespace {

constexpr std::size_t kMethodCount = 7;

std::size_t index_of(Method method) { return static_cast<std::size_t>(method); }

// The segments after the leading slash; "/" has one empty segment, "/a/" ends with an empty one.
std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(1);
  for (;;) {
    const std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// RFC 6750: the scheme compares without case, exactly one space, the token of its own alphabet.
std::optional<std::string_view> bearer_of(const Request& request) {
  const auto authorization = request.header("Authorization");
  if (!authorization || request.headers.count("Authorization") != 1) return std::nullopt;
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization->size() <= kScheme.size() ||
      !equal_ignoring_case(authorization->substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  const std::string_view token = authorization->substr(kScheme.size());
  for (const char c : {' ', '\t', ','}) {
    if (token.find(c) != std::string_view::npos) return std::nullopt;
  }
  return token;
}

Problem invalid_token() {
  Problem problem = unauthenticated("the token is not valid, or has expired");
  problem.headers.set("WWW-Authenticate", "Bearer realm=\"tideline\", error=\"invalid_token\"");
  return problem;
}

// Who gets an answer by a link may keep it for as long as the link is good.
void limit_caching(core::Timestamp::duration left, Response& response) {
  const auto told = response.headers.find("Cache-Control");
  if (!told || told->find("max-age") == std::string_view::npos) return;
  const auto seconds_left = std::chrono::floor<std::chrono::seconds>(left).count();
  response.header("Cache-Control",
                  "private, max-age=" + std::to_string(std::max<std::int64_t>(seconds_left, 0)));
}

// Sets the principal and says when its link ends, or why the caller may not go on.
Parsed<core::Timestamp> authenticate_link(const SignedLinks* links, const Revoked& revoked,
                                          Request& request) {
  const auto link = links == nullptr ? std::nullopt : links->find(request);
  if (!link) return unauthenticated("the link is not valid here, or has expired");
  // In no session and under whatever password: a link ends by itself, or with its account.
  request.principal = Principal{.account = link->reader,
                                .password_version = std::numeric_limits<std::uint32_t>::max()};
  if (revoked && revoked(*request.principal)) {
    return unauthenticated("the link is not valid here, or has expired");
  }
  request.link_ends = link->ends;
  return link->ends;
}

// Sets the principal and says when its token ends, or why the caller may not go on.
Parsed<core::Timestamp> authenticate(TokenVerifier& verifier, const Revoked& revoked,
                                     core::Timestamp now, Access access, Request& request) {
  const auto bearer = bearer_of(request);
  if (!bearer) return unauthenticated("send a token in Authorization: Bearer");
  auto verified = verifier.verify(*bearer, now);
  if (!verified) {
    if (verified.error().retryable) return from_error(verified.error());
    return invalid_token();
  }
  if (verified->expires_at <= now) return invalid_token();
  request.principal = std::move(verified->principal);
  if (access != Access::RevokedToo && revoked && revoked(*request.principal)) {
    return invalid_token();
  }
  if (access == Access::Operator && !request.principal->has_role(kOperatorRole)) {
    return forbidden("this needs the role operator");
  }
  if (access == Access::Moderator && !request.principal->has_role(kModeratorRole)) {
    return forbidden("this needs the role moderator");
  }
  return verified->expires_at;
}

}  // namespace

struct Router::Node {
  struct Target {
    std::string path_template;
    Access access = Access::Operator;
    Handler handler;
    RouteLimits limits;
  };

  std::unordered_map<std::string_view, std::unique_ptr<Node>> literals;  // keys: owned names
  std::vector<std::unique_ptr<std::string>> names;
  std::unique_ptr<Node> parameter;
  std::string parameter_name;
  std::array<std::optional<Target>, kMethodCount> targets;

  Node& child(std::string_view segment) {
    if (is_parameter(segment)) {
      const std::string_view name = segment.substr(1, segment.size() - 2);
      if (!parameter) {
        parameter = std::make_unique<Node>();
        parameter_name = name;
      }
      CHECK(parameter_name == name, "parameters at one place of the path must have one name");
      return *parameter;
    }
    CHECK(segment.find_first_of("{}") == std::string_view::npos, "a malformed path template");
    const auto found = literals.find(segment);
    if (found != literals.end()) return *found->second;
    names.push_back(std::make_unique<std::string>(segment));
    return *literals.emplace(*names.back(), std::make_unique<Node>()).first->second;
  }

  [[nodiscard]] bool has_target() const {
    for (const auto& target : targets) {
      if (target) return true;
    }
    return false;
  }

  [[nodiscard]] std::string allow() const {
    std::string methods = "OPTIONS";
    for (std::size_t i = 0; i < kMethodCount; ++i) {
      if (!targets[i]) continue;
      const auto method = static_cast<Method>(i);
      methods.append(", ").append(name_of(method));
      if (method == Method::Get) methods.append(", HEAD");
    }
    return methods;
  }
};

struct Router::Table {
  std::shared_ptr<TokenVerifier> verifier;
  const core::Clock* clock;
  TextSeal seal;
  std::shared_ptr<const SignedLinks> links;
  Revoked revoked;
  GoodUntil good_until;
  Node root;
  std::vector<Route> routes;

  // Sets the principal and says when the token or the link ends, or why the caller may not go on.
  Parsed<core::Timestamp> authenticate_for(Access access, Request& request) const {
    const bool by_link = access == Access::SignedInOrLink && !request.header("Authorization") &&
                         SignedLinks::is_in(request);
    return by_link ? authenticate_link(links.get(), revoked, request)
                   : authenticate(*verifier, revoked, clock->now(), access, request);
  }

  // The answer as it leaves: now, or when a later one has been given.
  Response finish(const Node::Target& target, Request& request, Response response) const {
    while (response.deferred) {
      DeferredResponse& deferred = *response.deferred;
      if (!deferred.is_given()) {
        deferred.set_finish([this, &target, &request](DeferredResponse::Given given) {
          return finish(target, request, given_or_again(target, request, std::move(given)));
        });
        return response;
      }
      response = given_or_again(target, request, deferred.take());
    }
    const auto token = response.headers.find(kPositionHeader);
    if (token && seal.seal) response.header(kPositionHeader, seal.seal(std::string(*token)));
    if (request.link_ends) limit_caching(*request.link_ends - clock->now(), response);
    if (good_until) {
      const auto limit = good_until();
      response.good_until = std::min(response.good_until.value_or(limit), limit);
    }
    return response;
  }

  static Response answer(const Node::Target& target, const Request& request) {
    return answer_of([&] { return target.handler(request); });
  }

  static Response given_or_again(const Node::Target& target, Request& request,
                                 DeferredResponse::Given given) {
    if (given) return std::move(*given);
    if (!std::exchange(request.position_wait.under_way, false)) ++request.attempt;
    return answer(target, request);
  }

  // The node that the path leads to, with parameters set on the way; null when there is none.
  const Node* find(Request& request) const {
    const Node* node = &root;
    for (const std::string_view segment : split_path(request.path)) {
      const auto literal = node->literals.find(segment);
      if (literal != node->literals.end()) {
        node = literal->second.get();
      } else if (node->parameter && !segment.empty()) {
        request.path_parameters.emplace_back(node->parameter_name, segment);
        node = node->parameter.get();
      } else {
        return nullptr;
      }
    }
    return node->has_target() ? node : nullptr;
  }
};

Router::Router(std::shared_ptr<TokenVerifier> verifier, const core::Clock& clock)
    : table_(std::make_unique<Table>()) {
  table_->verifier = std::move(verifier);
  table_->clock = &clock;
}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(Method method, std::string_view path_template, Access access, Handler handler,
                 RouteLimits limits) {
  CHECK(!path_template.empty() && path_template.front() == '/', "a template begins with a slash");
  CHECK(method != Method::Head && method != Method::Options, "the router answers these itself");
  CHECK(access == Access::Public || table_->verifier, "this route needs a token verifier");
  CHECK(handler != nullptr, "a route needs a handler");
  Node* node = &table_->root;
  for (const std::string_view segment : split_path(path_template)) node = &node->child(segment);
  auto& target = node->targets[index_of(method)];
  CHECK(!target, "this route exists");
  target = Node::Target{std::string(path_template), access, std::move(handler), limits};
  table_->routes.push_back({method, std::string(path_template), access, limits});
}

Response Router::dispatch(Request& request) const {
  request.path_parameters.clear();
  CHECK(!request.path.empty() && request.path.front() == '/', "paths begin with a slash");
  const Node* node = table_->find(request);
  if (node == nullptr) return to_response(not_found("there is no such path"));
  const Method method = request.method == Method::Head ? Method::Get : request.method;
  const auto& target = node->targets[index_of(method)];
  if (!target) {
    if (method == Method::Options) return Response::no_content().header("Allow", node->allow());
    return to_response(problem(405, "method-not-allowed", "The path lacks this method",
                               "see the header Allow"))
        .header("Allow", node->allow());
  }
  request.route_template = target->path_template;
  std::optional<core::Timestamp> token_ends;
  if (target->access != Access::Public) {
    const auto allowed = table_->authenticate_for(target->access, request);
    if (!allowed) return allowed.response();
    token_ends = *allowed;
  }
  const auto sent = request.header(kPositionHeader);
  if (sent && table_->seal.open) {
    const auto token = table_->seal.open(*sent);
    if (!token) return to_response(malformed("Tideline-Position was not given by this suite"));
    request.sealed_position = *sent;
    request.headers.set(kPositionHeader, *token);
  }
  Response response = table_->finish(*target, request, Table::answer(*target, request));
  if (response.events && token_ends) {
    response.events->end_when(
        [clock = table_->clock, revoked = table_->revoked, principal = *request.principal,
         ends = *token_ends] { return ends <= clock->now() || (revoked && revoked(principal)); });
  }
  return response;
}

Parsed<Router::BodyAdmission> Router::admit_body(Request head) const {
  const Node* node = head.path.starts_with('/') ? table_->find(head) : nullptr;
  const auto* target = node == nullptr ? nullptr : &node->targets[index_of(head.method)];
  BodyAdmission admission;
  if (target == nullptr || !*target || (*target)->limits.body_bytes_max == 0) return admission;
  admission.body_bytes_max = (*target)->limits.body_bytes_max;
  if ((*target)->access == Access::Public) return admission;
  const auto allowed = table_->authenticate_for((*target)->access, head);
  if (!allowed) return allowed.problem();
  admission.account = head.account();
  return admission;
}

void Router::set_position_seal(TextSeal seal) { table_->seal = std::move(seal); }

void Router::set_good_until(GoodUntil good_until) { table_->good_until = std::move(good_until); }

void Router::set_signed_links(std::shared_ptr<const SignedLinks> links) {
  table_->links = std::move(links);
}

void Router::set_revoked(Revoked revoked) { table_->revoked = std::move(revoked); }

const std::vector<Router::Route>& Router::routes() const { return table_->routes; }

}  // namespace tideline::http
