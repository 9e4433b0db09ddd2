// A plain socket client that sends exactly the bytes it is told to, for tests of the server.
#pragma once

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
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

  // `receive_bytes`: how much the client's kernel takes while nobody reads; 0 = as it likes.
  // `source`: the address it comes from; null = as the kernel likes.
  explicit TestClient(std::uint16_t port, int receive_bytes = 0, const char* source = nullptr)
      : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes > 0) {
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in address{};
    if (source != nullptr) {
      address.sin_family = AF_INET;
      inet_pton(AF_INET, source, &address.sin_addr);
      bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
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

  // From now on, at once.
  void read_at_most(std::size_t bytes) { read_bytes_max_ = bytes; }

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

  // The head of the next response, whatever its body is.
  Answer receive_head() {
    Answer answer;
    answer.head = read_until("\r\n\r\n");
    if (answer.head.size() > 12) {
      std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
    }
    return answer;
  }

  // All up to this text and with it; what there is when the connection ends before.
  std::string read_until(std::string_view text) {
    std::size_t at = 0;
    while ((at = buffer_.find(text)) == std::string::npos) {
      if (!read_more()) return std::exchange(buffer_, {});
    }
    std::string read = buffer_.substr(0, at + text.size());
    buffer_.erase(0, read.size());
    return read;
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

  // Whether the server's kernel has everything that was sent.
  [[nodiscard]] bool handed_over() const {
    int unsent = 1;
    return ioctl(socket_, SIOCOUTQ, &unsent) == 0 && unsent == 0;
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
    const auto got = recv(socket_, bytes, std::min(read_bytes_max_, sizeof bytes), 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  std::size_t read_bytes_max_ = SIZE_MAX;
  bool connected_ = false;
  bool ended_ = false;
  std::string buffer_;
};

}  // namespace tideline::http::testing
