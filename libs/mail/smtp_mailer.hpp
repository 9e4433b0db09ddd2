// Sends by SMTP (RFC 5321), through libcurl.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/random.hpp"
#include "mail/mailer.hpp"

namespace tideline::mail {

struct SmtpOptions {
  std::string url;     // smtp://host:port, or smtps://host:port for TLS from the first byte
  std::string from;    // an address
  std::string user{};  // "" = no authentication
  std::string password{};
  // Of smtp://: go on in clear where the server offers no STARTTLS. For a relay on the same
  // machine.
  bool allow_clear = false;
  std::string ca_file{};  // PEM; "" = those of the system
  std::chrono::milliseconds timeout{30'000};
};

// Thread-safe: each call has a connection of its own.
class SmtpMailer final : public Mailer {
 public:
  // `clock` and `random` must outlive it.
  SmtpMailer(SmtpOptions options, const core::Clock& clock, core::Random& random)
      : options_(std::move(options)), clock_(clock), random_(random) {}

  core::Status send(const Mail& mail) override;

 private:
  const SmtpOptions options_;
  const core::Clock& clock_;
  core::Random& random_;
};

// The mail's own headers (RFC 5322); libcurl adds those of its body. `id` names it among all mails.
std::vector<std::string> headers_of(const Mail& mail, std::string_view from, core::Timestamp now,
                                    std::string_view id);

}  // namespace tideline::mail
