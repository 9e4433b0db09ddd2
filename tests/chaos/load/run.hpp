// The two things that this program does. Both throw demo::UnexpectedAnswer when the suite does not
// do what it must, and std::runtime_error for files.
#pragma once

#include <cstdint>
#include <string>

#include "demo/client.hpp"

namespace tideline::chaos {

struct Options {
  demo::Endpoint gateway;
  std::string run;  // begins user ids and correlation ids
  std::size_t people = 48;
  std::size_t workers = 12;
  std::uint64_t seed = 1;
  std::string journal;
  std::string accounts;  // file: user_id, access token and position a line
  std::string out;
};

// Registers the people, says "ready", awaits "begin", and sends commands as far as lines "allow N"
// on stdin let it, until stdin ends. Says "done N T F" twice a second, T as in
// Journal::all_seen_since_us, F as in Journal::failures, and at the end one line of JSON: attempts
// by status. Then the file of accounts is written.
void run_load(const Options& options);

// What everybody reads, as lines "user_id, what, JSON" separated by tabs: his whole timeline (of
// each entry its id, edits, likes, whether he likes it, comments), his points, how many messages he
// has, and how many of these he has not read; what he is told of, what he has bookmarked and
// pinned, what he finds by words that the load writes, and by their topic.
void read_back(const Options& options);

}  // namespace tideline::chaos
