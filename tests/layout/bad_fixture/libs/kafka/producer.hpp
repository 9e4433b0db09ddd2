#include <librdkafka/rdkafkacpp.h>  // breaks
