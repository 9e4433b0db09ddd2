#include "core/ids.hpp"
#include "eventsourcing/store/event_store.hpp"  // breaks
const char* const kSql = "SELECT 1";            // breaks
