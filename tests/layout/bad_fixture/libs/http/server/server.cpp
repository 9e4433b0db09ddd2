#include <boost/beast/http.hpp>
#include <pistache/http.h>
#include "http/routing/router.hpp"
#include "observability/log.hpp"  // breaks
