#include <spdlog/spdlog.h>  // breaks
#include <prometheus/counter.h>  // breaks
