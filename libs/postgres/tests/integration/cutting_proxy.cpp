#include "cutting_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "core/check.hpp"

namespace tideline::postgres::testing {
namespace {

constexpr int kSliceMs = 20;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool readable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return poll(&wanted, 1, kSliceMs) > 0;
}

// "" at the end of the stream.
std::string receive(int descriptor) {
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(descriptor, bytes.data(), bytes.size(), 0);
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
}

void forward(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

CuttingProxy::CuttingProxy(int server_port) : server_port_(server_port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  CHECK(bind(listener_, generic, length) == 0 && listen(listener_, 64) == 0 &&
            getsockname(listener_, generic, &length) == 0,
        "the proxy of a test cannot listen");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  stopping_ = true;
  acceptor_.join();
  for (std::thread& connection : connections_) connection.join();
  close(listener_);
}

void CuttingProxy::cut_at(const std::string& text, Cut cut) {
  const std::lock_guard lock(mutex_);
  text_ = text;
  cut_ = cut;
}

Cut CuttingProxy::cut_of(const std::string& passing) {
  const std::lock_guard lock(mutex_);
  if (cut_ == Cut::Never || passing.find(text_) == std::string::npos) return Cut::Never;
  if (refuse_after_cut_) refusing_ = true;
  return std::exchange(cut_, Cut::Never);
}

void CuttingProxy::count_cut() {
  {
    const std::lock_guard lock(mutex_);
    ++cuts_;
  }
  was_cut_.notify_all();
}

bool CuttingProxy::await_cut_after(int cuts, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return was_cut_.wait_for(lock, timeout, [&] { return cuts_ > cuts; });
}

void CuttingProxy::accept_all() {
  while (!stopping_) {
    pollfd wanted{listener_, POLLIN, 0};
    if (poll(&wanted, 1, kSliceMs) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (refusing_) {
      close(client);
      continue;
    }
    connections_.emplace_back([this, client] { serve(client); });
  }
}

void CuttingProxy::serve(int client) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open && !stopping_) {
    std::array<pollfd, 2> both{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(both.data(), both.size(), kSliceMs) <= 0) continue;
    if (both[1].revents != 0) {
      const std::string answer = receive(server);
      forward(client, answer);
      open = !answer.empty();
    }
    if (both[0].revents != 0) {
      const std::string request = receive(client);
      const Cut cut = cut_of(request);
      const bool stays =
          cut == Cut::BeforeServer || cut == Cut::HoldBeforeServer || cut == Cut::ClientOnly;
      if (!stays) forward(server, request);
      if (cut == Cut::AfterServer || cut == Cut::HoldAfterServer) {
        // Until the server has answered, which nobody hears.
        while (!stopping_ && !readable(server)) {
        }
      }
      if (cut != Cut::Never) count_cut();
      if (cut == Cut::HoldBeforeServer || cut == Cut::HoldAfterServer) {
        while (!stopping_ && !readable(client)) {
        }
      }
      if (cut == Cut::ClientOnly) {
        shutdown(client, SHUT_RDWR);
        while (!stopping_ && !readable(server)) {
        }
      }
      open = open && !request.empty() && cut == Cut::Never;
    }
  }
  close(client);
  close(server);
}

}  // namespace tideline::postgres::testing
