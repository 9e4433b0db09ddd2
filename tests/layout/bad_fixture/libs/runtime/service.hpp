#include "http/server/server.hpp"
#include "kafka/producer.hpp"
#include "feed/domain/moment.hpp"  // breaks
#include <pqxx/pqxx>  // breaks
#include <librdkafka/rdkafka.h>  // breaks
