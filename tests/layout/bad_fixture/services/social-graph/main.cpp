#include "runtime/service.hpp"
#include "social_graph/api/routes.hpp"
#include "accounts/domain/account.hpp"  // breaks
#include <pistache/endpoint.h>  // breaks
