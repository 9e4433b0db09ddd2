#include "feed/projections/timeline.hpp"
#include "http/routing/router.hpp"
#include "kafka/producer.hpp"  // breaks
const char* kQuery = "SELECT id FROM moment";  // breaks
