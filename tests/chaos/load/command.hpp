// One command of the load, with what must come of it, and who sends commands. Values.
#pragma once

#include <functional>
#include <string>

#include "demo/client.hpp"

namespace tideline::chaos {

struct Account {
  std::string user_id;
  std::string token;     // access token; renewed by signing in
  std::string position;  // position token of the last answer

  std::string password() const { return "tideline-" + user_id; }
};

struct Command {
  std::string kind;
  std::string service;
  demo::Call call;  // token, key and correlation id are put in when it is sent
  // What an acknowledged one has written: a regular expression over the types of its events, sorted
  // and joined by commas. "" = nothing.
  std::string events;
  // The only answer there may be; 0 where others have a say in it.
  int status = 0;
  Account* as = nullptr;  // who sends it, when that is not whose turn it is
  // Told of the answer, so that the next command is predicted from it. May be empty.
  std::function<void(const demo::Reply&)> learn = {};
  // Nobody can ask what became of it when the sender's token ends before its answer comes.
  bool closes_account = false;
};

inline bool acknowledged(const demo::Reply& reply) {
  return reply.status >= 200 && reply.status < 300;
}

}  // namespace tideline::chaos
