#include "core/ids.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "sql/transaction.hpp"  // breaks
#include "feed/projections/timeline.hpp"  // breaks
#include "social_graph/domain/contact.hpp"  // breaks
inline auto published_at = std::chrono::system_clock::now();  // breaks
