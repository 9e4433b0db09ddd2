#include <pistache/tcp.h>  // breaks
