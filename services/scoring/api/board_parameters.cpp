#include "scoring/api/board_parameters.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "http/messages/json.hpp"

namespace tideline::scoring {
namespace {

constexpr std::string_view kList = "leaderboard";
constexpr std::size_t kDepartmentMax = 1024;  // code points

struct PeriodChoice {
  std::string_view text;
  Span span;
  bool last;
};

constexpr std::array kChoices = {
    PeriodChoice{"day", Span::Day, false},     PeriodChoice{"last-day", Span::Day, true},
    PeriodChoice{"week", Span::Week, false},   PeriodChoice{"last-week", Span::Week, true},
    PeriodChoice{"month", Span::Month, false}, PeriodChoice{"last-month", Span::Month, true},
};

}  // namespace

AskedBoard read_board(const ApiPorts& ports, const http::Request& request) {
  AskedBoard board{{}, std::string(kList)};
  if (const auto department = request.query("department")) {
    if (department->empty() || http::count_code_points(*department) > kDepartmentMax) {
      http::refuse(http::malformed("department is the name of one"));
    }
    board.name.department = *department;
    board.list += "/department";
  }
  const auto period = request.query("period");
  if (!period || *period == "all") return board;
  const auto* const choice =
      std::find_if(kChoices.begin(), kChoices.end(),
                   [&](const PeriodChoice& known) { return known.text == *period; });
  if (choice == kChoices.end()) {
    http::refuse(
        http::malformed("period is all, day, last-day, week, last-week, month or last-month"));
  }
  core::Day day = period_of(choice->span, ports.campus.day_of(ports.clock.now()));
  if (choice->last) day = period_before(choice->span, day);
  board.name.period = {choice->span, day};
  board.list.append("/").append(*period);
  return board;
}

}  // namespace tideline::scoring
