// Which board a request means: ?period=all (the default), day, last-day, week, last-week, month or
// last-month, by the campus's calendar as of now; with ?department= that of this one.
#pragma once

#include <string>

#include "http/messages/problem.hpp"
#include "scoring/api/ports.hpp"

namespace tideline::scoring {

struct AskedBoard {
  BoardName name;
  std::string list;  // the kind of its cursors
};

// 400 for another period, or an empty or very long department. Thread-safe.
AskedBoard read_board(const ApiPorts& ports, const http::Request& request);

}  // namespace tideline::scoring
