#include "sql/transaction.hpp"
#include "feed/domain/moment.hpp"
#include "feed/api/routes.hpp"  // breaks
#include "postgres/pool.hpp"  // breaks
