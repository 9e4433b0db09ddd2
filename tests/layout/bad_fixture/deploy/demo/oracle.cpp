#include "core/ids.hpp"
#include "feed/domain/moment.hpp"  // breaks
