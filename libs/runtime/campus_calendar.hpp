// The campus's days, by an IANA time zone ("Asia/Shanghai") of the machine's zone database.
#pragma once

#include <memory>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace tideline::runtime {

// InvalidInput when the machine knows no such zone. The calendar is thread-safe and immutable.
core::Result<std::unique_ptr<core::CampusCalendar>> load_campus_calendar(const std::string& zone);

}  // namespace tideline::runtime
