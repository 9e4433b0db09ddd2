#include "http/server.hpp"
#include "kafka/producer.hpp"
#include "feed/domain/moment.hpp"  // breaks
