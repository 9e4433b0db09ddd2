#include "http/principal.hpp"
#include "http/router.hpp"  // breaks
#include <sodium.h>
