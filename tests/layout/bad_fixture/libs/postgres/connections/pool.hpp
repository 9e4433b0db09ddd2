#include "core/result.hpp"
#include <pqxx/pqxx>
