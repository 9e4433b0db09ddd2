#include <librdkafka/rdkafkacpp.h>
