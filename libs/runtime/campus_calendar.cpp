#include "runtime/campus_calendar.hpp"

#include <absl/time/time.h>

namespace tideline::runtime {
namespace {

class ZonedCalendar final : public core::CampusCalendar {
 public:
  explicit ZonedCalendar(absl::TimeZone zone) : zone_(zone) {}

  core::Day day_of(core::Timestamp time) const override {
    const absl::CivilDay day =
        absl::ToCivilDay(absl::FromUnixMicros(time.time_since_epoch().count()), zone_);
    return core::Day(std::chrono::days(day - absl::CivilDay(1970, 1, 1)));
  }

 private:
  absl::TimeZone zone_;
};

}  // namespace

core::Result<std::unique_ptr<core::CampusCalendar>> load_campus_calendar(const std::string& zone) {
  absl::TimeZone loaded;
  if (!absl::LoadTimeZone(zone, &loaded)) {
    return core::invalid_input("no time zone is called '" + zone + "'");
  }
  return std::unique_ptr<core::CampusCalendar>(std::make_unique<ZonedCalendar>(loaded));
}

}  // namespace tideline::runtime
