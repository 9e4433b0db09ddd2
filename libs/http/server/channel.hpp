// Inside libs/http: the socket of one connection, in clear or in TLS. One thread at a time; nothing
// here blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "http/tls/tls_server.hpp"

namespace tideline::http {

class Channel {
 public:
  // As much as one record of TLS has at most: less would leave some of it behind, of which no event
  // tells.
  static constexpr std::size_t kReadBytes = 16 * 1024;

  enum class Got { Bytes, Nothing, End };
  struct Input {
    Got got = Got::Nothing;
    std::size_t size = 0;
  };

  // Owns `descriptor`, a connected, non-blocking socket. In clear without a session.
  Channel(int descriptor, TlsSession session)
      : descriptor_(descriptor), session_(std::move(session)) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Nothing: all that has come was of the handshake, or there is none. End: the client sends no
  // more, or is no client of ours.
  Input receive(std::span<char, kReadBytes> bytes);
  // How many were taken, 0 as long as there is no room; nullopt: the client is gone. What was not
  // taken must come first the next time.
  std::optional<std::size_t> send(std::string_view bytes);
  // Whether there are bytes that were not received, or a record of which a part has come.
  [[nodiscard]] bool has_input() const;
  // Whether the client's kernel has acknowledged all; also when it is gone.
  [[nodiscard]] bool all_taken() const;
  // The client may go on sending.
  void end_sending();
  // `reset`: what was not sent is thrown away, and the client gets an error. Idempotent.
  void close(bool reset);

 private:
  Input receive_tls(std::span<char, kReadBytes> bytes);
  std::optional<std::size_t> send_tls(std::string_view bytes);
  void say_goodbye();

  int descriptor_;
  TlsSession session_;
  bool failed_ = false;  // OpenSSL wants nothing more to be done with the session then
};

}  // namespace tideline::http
