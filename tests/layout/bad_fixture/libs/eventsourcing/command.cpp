#include "core/result.hpp"
#include "eventsourcing/decider.hpp"
#include "postgres/pool.hpp"  // breaks
