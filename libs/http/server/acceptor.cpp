#include "http/server/acceptor.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "core/check.hpp"

namespace tideline::http {
namespace {

// Long enough for a burst of clients; the kernel caps it by net.core.somaxconn.
constexpr int kBacklog = 1024;
// Those that are connected already are not to wait for a crowd that connects.
constexpr int kAcceptedPerTurn = 64;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

bool parse_address(const std::string& address, std::uint16_t port, SocketAddress& parsed) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(&parsed.storage);
  if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    parsed.size = sizeof *v4;
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&parsed.storage);
  if (inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    parsed.size = sizeof *v6;
    return true;
  }
  return false;
}

std::uint16_t bound_port(int descriptor) {
  SocketAddress bound;
  bound.size = sizeof bound.storage;
  if (getsockname(descriptor, bound.get(), &bound.size) != 0) return 0;
  if (bound.storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<sockaddr_in*>(&bound.storage)->sin_port);
  }
  return ntohs(reinterpret_cast<sockaddr_in6*>(&bound.storage)->sin6_port);
}

}  // namespace

std::string source_of(int descriptor) {
  SocketAddress peer;
  peer.size = sizeof peer.storage;
  if (getpeername(descriptor, peer.get(), &peer.size) != 0) return {};
  if (peer.storage.ss_family == AF_INET) {
    const in_addr& address = reinterpret_cast<sockaddr_in*>(&peer.storage)->sin_addr;
    return {reinterpret_cast<const char*>(&address), sizeof address};
  }
  constexpr std::size_t kNetworkBytes = 8;
  const in6_addr& address = reinterpret_cast<sockaddr_in6*>(&peer.storage)->sin6_addr;
  const auto* bytes = reinterpret_cast<const char*>(&address);
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    return {bytes + sizeof address - sizeof(in_addr), sizeof(in_addr)};
  }
  return {bytes, kNetworkBytes};
}

Acceptor::~Acceptor() { stop(); }

core::Status Acceptor::start(const std::string& address, std::uint16_t port,
                             OnConnection on_connection) {
  std::lock_guard lock(mutex_);
  CHECK(listening_ < 0, "the acceptor listens already");
  on_connection_ = std::move(on_connection);
  auto status = listen_on(address, port);
  if (status) status = reactors_.watch(kId, listening_);
  if (!status && listening_ >= 0) close(std::exchange(listening_, -1));
  return status;
}

core::Status Acceptor::listen_on(const std::string& address, std::uint16_t port) {
  const auto failed = [&](const char* step) {
    const int cause = errno;
    if (listening_ >= 0) close(std::exchange(listening_, -1));
    return core::Error{core::ErrorCode::Unavailable,
                       std::string(step) + " " + address + " port " + std::to_string(port) + ": " +
                           std::strerror(cause),
                       false};
  };
  SocketAddress parsed;
  if (!parse_address(address, port, parsed)) {
    return core::invalid_input("not an IPv4 or IPv6 address: " + address);
  }
  listening_ =
      socket(parsed.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (listening_ < 0) return failed("no socket for");
  const int on = 1;
  setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // Accepted sockets inherit it.
  setsockopt(listening_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bind(listening_, parsed.get(), parsed.size) != 0) return failed("cannot bind");
  if (listen(listening_, kBacklog) != 0) return failed("cannot listen on");
  port_ = bound_port(listening_);
  return core::success();
}

void Acceptor::on_readable() {
  std::lock_guard lock(mutex_);
  if (listening_ < 0 || exhausted_) return;
  accept_some(kAcceptedPerTurn);
  if (exhausted_) reactors_.unwatch(kId, listening_);
}

void Acceptor::accept_some(int count_max) {
  while (count_max > 0) {
    const int accepted = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      on_connection_(accepted);
      --count_max;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      exhausted_ = true;
      return;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EBADF || errno == EINVAL) {
      return;
    }
    // Any other error belongs to one connection that has gone again.
  }
}

void Acceptor::resume() {
  std::lock_guard lock(mutex_);
  if (listening_ < 0 || !exhausted_) return;
  exhausted_ = !reactors_.watch(kId, listening_).ok();
}

void Acceptor::stop() {
  std::lock_guard lock(mutex_);
  if (listening_ < 0) return;
  accept_some(std::numeric_limits<int>::max());
  close(std::exchange(listening_, -1));
}

}  // namespace tideline::http
