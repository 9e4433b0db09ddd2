#include "postgres/pool.hpp"
#include "social_graph/domain/contact.hpp"
#include "feed/domain/moment.hpp"  // breaks
