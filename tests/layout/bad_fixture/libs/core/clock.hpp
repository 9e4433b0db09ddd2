#include <string>

#include "core/ids.hpp"
#include "eventsourcing/events/event.hpp"  // breaks
#include <nlohmann/json.hpp>  // breaks
