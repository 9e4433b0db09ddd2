#include "sender.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tideline::chaos {
namespace {

// As long as the test waits for a recovery: who gives up before is no probe any more.
constexpr std::chrono::minutes kPatience{10};
constexpr std::chrono::minutes kReadPatience{10};
constexpr int kSignInsMax = 3;
constexpr int kUnauthenticated = 401;

bool is_final(int status) { return status > 0 && status < 500 && status != 429; }

// On one line. The gateway's own answers have the same shape.
std::string reason_of(const demo::Reply& reply) {
  if (is_final(reply.status)) return "";
  const auto problem = demo::Json::parse(reply.body, nullptr, false);
  std::string reason =
      problem.is_object() ? problem.value("detail", "") : reply.body.substr(0, 200);
  std::ranges::replace(reason, '\n', ' ');
  return reason;
}

void remember_session(Account& account, const demo::Json& session) {
  account.token = session.at("access_token").get<std::string>();
}

}  // namespace

Sender::Sender(demo::Endpoint endpoint, demo::Traffic& traffic, Journal& journal, std::string name,
               std::uint64_t seed)
    : client_(std::move(endpoint), traffic, seed),
      journal_(journal),
      name_(std::move(name)),
      random_(seed) {}

void Sender::pause() {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution<>(50, 500)(random_)));
}

std::optional<demo::Reply> Sender::until_answered(const Command& command, Answered& answered) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < give_up) {
    ++answered.attempts;
    answered.last_attempt_us = now_us();
    int status = 0;
    try {
      demo::Reply reply = client_.once(command.call);
      status = reply.status;
      journal_.count_attempt(status, command.kind + ": " + reason_of(reply));
      if (is_final(status)) {
        answered.status = status;
        answered.location = reply.location;
        answered.answered_us = now_us();
        return reply;
      }
    } catch (const demo::Unanswered& broken) {
      journal_.count_attempt(0, command.kind + ": " + broken.what());
    }
    answered.was_unknown = answered.was_unknown || status != 429;
    pause();
  }
  return std::nullopt;
}

std::optional<demo::Reply> Sender::carry_out(Command command, Account& account) {
  Answered answered;
  answered.correlation_id = name_ + "-" + std::to_string(++sent_);
  answered.begun_us = now_us();
  command.call.key = command.call.correlation_id = answered.correlation_id;
  const bool with_token = command.kind != "register" && command.kind != "sign-in";
  std::optional<demo::Reply> reply;
  for (int sign_ins = 0; sign_ins <= kSignInsMax; ++sign_ins) {
    if (with_token) command.call.token = account.token;
    reply = until_answered(command, answered);
    if (!reply || reply->status != kUnauthenticated || !with_token) break;
    const bool may_be_gone = command.closes_account && answered.was_unknown;
    if (sign_in(account, may_be_gone)) continue;
    // Its token ended between the attempt that closed the account and this one.
    if (may_be_gone) answered.status = command.status;
    break;
  }
  journal_.write(command, answered);
  if (!reply) return reply;
  if (!reply->position.empty()) account.position = reply->position;
  if (command.learn) command.learn(*reply);
  return reply;
}

bool Sender::sign_in(Account& account, bool may_be_gone) {
  Command command = sign_in_of(account);
  if (may_be_gone) {
    command.status = 0;
    command.events = "(" + command.events + ")?";
  }
  const auto reply = carry_out(std::move(command), account);
  return reply && acknowledged(*reply);
}

demo::Json Sender::read(const std::string& target, Account& account) {
  const auto give_up = std::chrono::steady_clock::now() + kReadPatience;
  std::string trouble = "no answer";
  while (std::chrono::steady_clock::now() < give_up) {
    try {
      const demo::Reply reply =
          client_.once({"GET", target, account.token, nullptr, account.position});
      if (reply.status == kUnauthenticated && !sign_in(account)) break;
      if (reply.status == 200 && !reply.stale) return reply.json();
      trouble = std::to_string(reply.status) + (reply.stale ? " stale " : " ") + reply.body;
    } catch (const demo::Unanswered& broken) {
      trouble = broken.what();
    }
    pause();
  }
  throw demo::UnexpectedAnswer(account.user_id + ": GET " + target +
                               " is not to be had: " + trouble);
}

Command registration_of(Account& account) {
  Command command{"register",
                  "accounts",
                  {"POST",
                   "/v1/accounts",
                   "",
                   {{"user_id", account.user_id},
                    {"password", account.password()},
                    {"real_name", "Student " + account.user_id},
                    {"email", account.user_id + "@campus.example"},
                    {"department", ""}},
                   ""},
                  // A repetition is answered with a session of its own.
                  "AccountRegistered,PasswordSet(,SessionListChanged)+(,SessionOpened)+",
                  201};
  command.learn = [&account](const demo::Reply& reply) {
    if (acknowledged(reply)) remember_session(account, reply.json().at("session"));
  };
  return command;
}

// Sign-ins take no key (docs/adr/0010): a repeated one opens another session.
Command sign_in_of(Account& account) {
  Command command{"sign-in",
                  "accounts",
                  {"POST",
                   "/v1/sessions",
                   "",
                   {{"user_id", account.user_id}, {"password", account.password()}},
                   ""},
                  // One too many of an account's ends the oldest.
                  "(SessionEnded,)*(SessionListChanged,)+SessionOpened(,SessionOpened)*"
                  "(,SessionRevoked)*(,SignedIn)?",
                  201};
  command.learn = [&account](const demo::Reply& reply) {
    if (acknowledged(reply)) remember_session(account, reply.json());
  };
  return command;
}

}  // namespace tideline::chaos
