#include <spdlog/spdlog.h>  // breaks
#include <unicode/unistr.h>  // breaks
#include <prometheus/counter.h>  // breaks
