// Fills the tables and the lists that the servers of the feed's benchmarks answer from.
#pragma once

#include "bench/feed_options.hpp"

namespace tideline::bench {

// The service's tables, the query's, and, if there is one, Redis. The same moments in each.
int fill_feed(const FeedOptions& options);

}  // namespace tideline::bench
