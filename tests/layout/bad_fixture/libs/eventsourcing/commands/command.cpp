#include "core/result.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "postgres/connections/pool.hpp"  // breaks
