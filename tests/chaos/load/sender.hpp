// Sends a command until it is answered: after a lost connection, a time-out, 429 and every 5xx
// again, with the same Idempotency-Key. Impatient on purpose, as clients are after an outage: half
// a second between two attempts whatever Retry-After says.
//
// One thread each.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "journal.hpp"

namespace tideline::chaos {

class Sender {
 public:
  // `name` begins every correlation id: letters, digits, '.', '_' and '-', and nobody else's.
  Sender(demo::Endpoint endpoint, demo::Traffic& traffic, Journal& journal, std::string name,
         std::uint64_t seed);

  // As `account`, signing in again when its token has expired. Nothing: not answered within five
  // minutes, which the journal says too. The command has learned of its answer.
  std::optional<demo::Reply> carry_out(Command command, Account& account);

  // A read, with the account's position, until it is 200 and not stale. Throws
  // demo::UnexpectedAnswer when that does not come within two minutes.
  demo::Json read(const std::string& target, Account& account);

  std::mt19937_64& random() { return random_; }

 private:
  std::optional<demo::Reply> until_answered(const Command& command, Answered& answered);
  // `may_be_gone`: the account was perhaps closed by a command without an answer.
  bool sign_in(Account& account, bool may_be_gone = false);
  void pause();

  demo::Client client_;
  Journal& journal_;
  std::string name_;
  std::uint64_t sent_ = 0;
  std::mt19937_64 random_;
};

Command registration_of(Account& account);
Command sign_in_of(Account& account);

}  // namespace tideline::chaos
