#include <string>

#include "core/ids.hpp"
#include "eventsourcing/event.hpp"  // breaks
#include <nlohmann/json.hpp>  // breaks
