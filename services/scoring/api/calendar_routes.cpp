#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "scoring/api/named_person.hpp"
#include "scoring/api/routes.hpp"
#include "scoring/projections/calendar_queries.hpp"

namespace tideline::scoring {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr int kYearMin = 1970;
constexpr int kYearMax = 9999;
constexpr int kMonthMax = 12;

std::optional<int> read_number(const Request& request, const char* name, int min, int max) {
  const auto text = request.query(name);
  if (!text) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < min || number > max) {
    http::refuse(http::malformed(std::string(name) + " is a number from " + std::to_string(min) +
                                 " to " + std::to_string(max)));
  }
  return number;
}

// This year, all months, where the request does not say otherwise.
CalendarMonths read_months(const Request& request, core::Day today) {
  const auto year = read_number(request, "year", kYearMin, kYearMax);
  const auto month = read_number(request, "month", 1, kMonthMax);
  CalendarMonths wanted{
      .year = year.value_or(static_cast<int>(std::chrono::year_month_day(today).year()))};
  if (month) wanted.first = wanted.last = static_cast<unsigned>(*month);
  return wanted;
}

Json months_json(const YearCalendar& calendar) {
  Json months = Json::array();
  for (const MonthContributions& month : calendar.months) {
    Json days = Json::array();
    for (const DayContribution& day : month.days) {
      days.push_back({{"day", day.day}, {"contributions", day.contributions}});
    }
    months.push_back({{"month", month.month}, {"days", std::move(days)}});
  }
  return months;
}

Response calendar_of(const ApiPorts& ports, const Request& request) {
  const core::Day today = ports.campus.day_of(ports.clock.now());
  const auto wanted = read_months(request, today);
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.scores_committed},
      http::WhenBehind::Stale, [&] {
        const auto person = member_in_path(ports, request);
        const auto calendar =
            core::value_of(ports.database.read([&](sql::Transaction& transaction) {
              return find_calendar(transaction, person.account, wanted, today);
            }));
        Json json = person_json(person);
        json["year"] = wanted.year;
        json["months"] = months_json(calendar);
        json["historyscore"] = calendar.history_score;
        json["currentscore"] = calendar.current_score;
        return Response::json(200, json);
      });
}

}  // namespace

void add_calendar_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/calendars/{user_id}", http::Access::SignedIn,
             [ports](const Request& request) { return calendar_of(ports, request); });
}

}  // namespace tideline::scoring
