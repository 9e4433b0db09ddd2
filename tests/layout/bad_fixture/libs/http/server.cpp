#include <boost/beast/http.hpp>
#include <pistache/http.h>
#include "eventsourcing/position_vector.hpp"
#include "observability/log.hpp"  // breaks
