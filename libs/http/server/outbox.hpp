// Inside libs/http: what a connection has still to send. One thread at a time; nothing here blocks.
#pragma once

#include <cstddef>
#include <string>

#include "http/server/channel.hpp"

namespace tideline::http {

class Outbox {
 public:
  enum class Sent { All, Part, Refused };

  // Returns where these bytes end: they are with the kernel once has_sent() of it.
  std::size_t append(std::string bytes);
  // As much as the channel takes now. After All, ends count from 0 again. Refused: the client is
  // gone.
  Sent send_to(Channel& channel);

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t unsent() const { return bytes_.size() - begin_; }
  [[nodiscard]] bool has_sent(std::size_t end) const { return end <= begin_; }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace tideline::http
