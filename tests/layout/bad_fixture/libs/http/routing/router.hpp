#include "eventsourcing/commands/command.hpp"
#include "http/messages/message.hpp"
#include "http/server/server.hpp"  // breaks
