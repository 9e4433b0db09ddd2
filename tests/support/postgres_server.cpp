#include "support/postgres_server.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>

namespace tideline::test_support {
namespace {

// Memory where there is plenty: tests make a database each, and wait for no disk.
std::string temporary_root() {
  constexpr std::uint64_t kPlentyBytes = 4ULL << 30U;
  struct statvfs memory {};
  const bool plenty = statvfs("/dev/shm", &memory) == 0 && access("/dev/shm", W_OK) == 0 &&
                      memory.f_bavail * memory.f_frsize > kPlentyBytes;
  return plenty ? "/dev/shm" : "/tmp";
}

}  // namespace

PostgresServer::PostgresServer(int prepared_transactions_max)
    : part_("postgres", temporary_root()),
      prepared_transactions_max_(prepared_transactions_max),
      port_(free_ports(1).front()) {
  start();
  superuser_conninfo_ = part_.first_line("conninfo");
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

std::string PostgresServer::create_database(std::string_view name) {
  part_.run("database --name " + std::string(name));
  return part_.first_line("databases/" + std::string(name));
}

std::string PostgresServer::create_database() {
  return create_database("test_" + std::to_string(++databases_));
}

void PostgresServer::start() {
  part_.run("start --shared-buffers 64MB --max-prepared-transactions " +
            std::to_string(prepared_transactions_max_) + " --port " + std::to_string(port_));
}

void PostgresServer::kill() { part_.run("kill"); }

void PostgresServer::save() {
  part_.run("stop");
  part_.save("cluster");
  start();
}

void PostgresServer::put_back() {
  kill();
  part_.put_back("cluster");
}

}  // namespace tideline::test_support
