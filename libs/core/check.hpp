// CHECK(condition, text): a bug stops the process, in release builds too. Never for outside input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition, text)                                                             \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "CHECK failed: %s (%s) at %s:%d\n", #condition, text, __FILE__, \
                   __LINE__);                                                              \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
