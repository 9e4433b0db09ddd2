#include "feed/api/routes.hpp"  // breaks
#include "feed/projections/timeline.hpp"
