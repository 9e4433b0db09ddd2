// Mails to people, behind a port.
#pragma once

#include <string>

#include "core/result.hpp"

namespace tideline::mail {

// UTF-8. `to` is one address, without control characters and blanks.
struct Mail {
  std::string to;
  std::string subject;  // one line
  std::string text;
};

class Mailer {
 public:
  virtual ~Mailer() = default;
  // Blocks until a server has taken the mail over, or for at most half a minute. Unavailable,
  // retryable: no server, or it refused for now; InvalidInput: it refused for good, as it does for
  // an address that is none.
  virtual core::Status send(const Mail& mail) = 0;
};

}  // namespace tideline::mail
