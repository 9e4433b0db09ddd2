// A plain socket client that sends exactly the bytes it is told to, for tests of the server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tideline::http::testing {

struct Answer {
  int status = 0;
  std::string head;
  std::string body;

  [[nodiscard]] std::string header(std::string_view name) const {
    const std::string wanted = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(wanted);
    if (at == std::string::npos) return {};
    const std::size_t begin = at + wanted.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class TestClient {
 public:
  static constexpr std::chrono::seconds kDeadline{10};

  explicit TestClient(std::uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~TestClient() { hang_up(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] int descriptor() const { return socket_; }

  void hang_up() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
  }
  // The server's side sees a reset instead of an end.
  void reset() {
    const linger drop{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &drop, sizeof drop);
    hang_up();
  }
  void end_sending() { shutdown(socket_, SHUT_WR); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The next response; nothing when the connection ended or the deadline passed before its end.
  std::optional<Answer> receive(bool head_only = false) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    Answer answer;
    answer.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
    const std::string length_text = answer.header("Content-Length");
    std::size_t length = 0;
    std::from_chars(length_text.data(), length_text.data() + length_text.size(), length);
    if (head_only || answer.status == 204 || answer.status < 200) length = 0;
    while (buffer_.size() < length) {
      if (!read_more()) return std::nullopt;
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  // The same with status 0 for nothing.
  Answer answer(bool head_only = false) { return receive(head_only).value_or(Answer()); }

  // True once the server has ended the connection with nothing more to read.
  bool ended() {
    if (!buffer_.empty()) return false;
    while (read_more()) {
    }
    return ended_ && buffer_.empty();
  }

  // Whether something arrives within `wait`, which is a proof of absence only as far as that.
  bool hears_within(std::chrono::milliseconds wait) {
    pollfd polled{socket_, POLLIN, 0};
    return poll(&polled, 1, static_cast<int>(wait.count())) > 0;
  }

 private:
  bool read_more() {
    pollfd polled{socket_, POLLIN, 0};
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(kDeadline);
    if (poll(&polled, 1, static_cast<int>(wait.count())) <= 0) return false;
    char bytes[8192];
    const auto got = recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool connected_ = false;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace tideline::http::testing
