#include "http/server/outbox.hpp"

#include <string_view>
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

Outbox::Sent Outbox::send_to(Channel& channel) {
  while (begin_ < bytes_.size()) {
    const auto sent = channel.send(std::string_view(bytes_).substr(begin_));
    if (!sent) return Sent::Refused;
    if (*sent == 0) return Sent::Part;
    begin_ += *sent;
  }
  // Gives the memory back: most connections are idle most of the time.
  bytes_ = std::string();
  begin_ = 0;
  return Sent::All;
}

}  // namespace tideline::http
