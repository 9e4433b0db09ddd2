// The feed service as services/feed/main.cpp puts it together (store, relay, engine, tables,
// routes), on a real PostgreSQL and a real Kafka, with a graph that did not come by events: they
// would be a hundred and fifty million.
//
//   GET /stats          what has been fanned out since GET /stats?clear, how long after its
//                       publishing each moment was visible, and whether engine and tables have
//                       everything that was appended
#pragma once

#include "bench/feed_options.hpp"

namespace tideline::bench {

// Serves until the process is ended. Returns what main() returns.
int serve_service(const FeedOptions& options);

}  // namespace tideline::bench
