#include "http/messages/principal.hpp"
#include "http/routing/router.hpp"  // breaks
#include <sodium.h>
