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

int read_year(const Request& request, core::Day today) {
  const auto text = request.query("year");
  int year = static_cast<int>(std::chrono::year_month_day(today).year());
  if (text) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), year);
    if (error != std::errc() || end != text->data() + text->size() || year < kYearMin ||
        year > kYearMax) {
      http::refuse(http::malformed("year is a number from 1970 to 9999"));
    }
  }
  return year;
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
  const auto year = read_year(request, today);
  return http::answer_query(
      request, {ports.people_applied, ports.blocks_applied, ports.scores_committed},
      http::WhenBehind::Stale, [&] {
        const auto person = member_in_path(ports, request);
        const auto calendar =
            core::value_of(ports.database.read([&](sql::Transaction& transaction) {
              return find_calendar(transaction, person.account, year, today);
            }));
        Json json = person_json(person);
        json["year"] = year;
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
