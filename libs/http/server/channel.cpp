#include "http/server/channel.hpp"

#include <linux/sockios.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tideline::http {
namespace {

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

bool can_go_on(SSL* session, int result) {
  const int error = SSL_get_error(session, result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

}  // namespace

Channel::~Channel() { close(false); }

Channel::Input Channel::receive(std::span<char, kReadBytes> bytes) {
  if (session_) return receive_tls(bytes);
  const auto count = recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count > 0) return {Got::Bytes, static_cast<std::size_t>(count)};
  return {count < 0 && (would_block() || errno == EINTR) ? Got::Nothing : Got::End};
}

Channel::Input Channel::receive_tls(std::span<char, kReadBytes> bytes) {
  if (failed_) return {Got::End};
  ERR_clear_error();
  std::size_t size = 0;
  const int result = SSL_read_ex(session_.get(), bytes.data(), bytes.size(), &size);
  if (result == 1) return {Got::Bytes, size};
  if (can_go_on(session_.get(), result)) return {Got::Nothing};
  failed_ = SSL_get_error(session_.get(), result) != SSL_ERROR_ZERO_RETURN;
  return {Got::End};
}

std::optional<std::size_t> Channel::send(std::string_view bytes) {
  if (session_) return send_tls(bytes);
  for (;;) {
    const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (would_block()) return 0;
    if (errno != EINTR) return std::nullopt;
  }
}

std::optional<std::size_t> Channel::send_tls(std::string_view bytes) {
  if (failed_) return std::nullopt;
  ERR_clear_error();
  std::size_t size = 0;
  const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &size);
  if (result == 1) return size;
  if (can_go_on(session_.get(), result)) return 0;
  failed_ = true;
  return std::nullopt;
}

bool Channel::has_input() const {
  if (session_ && SSL_has_pending(session_.get()) == 1) return true;
  char byte = 0;
  return recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool Channel::all_taken() const {
  int unsent = 0;
  return ioctl(descriptor_, SIOCOUTQ, &unsent) != 0 || unsent == 0;
}

// So that the client can tell the end from a cut.
void Channel::say_goodbye() {
  if (!session_ || failed_ || SSL_is_init_finished(session_.get()) == 0) return;
  if ((SSL_get_shutdown(session_.get()) & SSL_SENT_SHUTDOWN) != 0) return;
  ERR_clear_error();
  SSL_shutdown(session_.get());
}

void Channel::end_sending() {
  say_goodbye();
  shutdown(descriptor_, SHUT_WR);
}

void Channel::close(bool reset) {
  if (descriptor_ < 0) return;
  if (reset) {
    const struct linger drop { 1, 0 };
    setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &drop, sizeof drop);
  } else {
    say_goodbye();
  }
  session_.reset();  // it knows the number of the descriptor
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace tideline::http
