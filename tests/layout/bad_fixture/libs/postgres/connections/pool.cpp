#include "kafka/producer.hpp"  // breaks
#include <pqxx/pqxx>
