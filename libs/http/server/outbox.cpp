#include "http/server/outbox.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace tideline::http {

std::size_t Outbox::append(std::string bytes) {
  if (bytes_.empty()) {
    bytes_ = std::move(bytes);
  } else {
    bytes_.append(bytes);
  }
  return bytes_.size();
}

Outbox::Sent Outbox::send_to(int descriptor) {
  while (begin_ < bytes_.size()) {
    const auto sent =
        send(descriptor, bytes_.data() + begin_, unsent(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      begin_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Sent::Part;
    } else if (errno != EINTR) {
      return Sent::Refused;
    }
  }
  // Gives the memory back: most connections are idle most of the time.
  bytes_ = std::string();
  begin_ = 0;
  return Sent::All;
}

}  // namespace tideline::http
