#include "bench/score_wire.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.hpp"

namespace tideline::bench {
namespace {

constexpr std::size_t kReadBytes = 1U << 16;
constexpr std::size_t kWordsMax = 4;

struct Command {
  std::array<std::string_view, kWordsMax> words;
  std::size_t count = 0;
  std::optional<core::AccountId> account;  // which the second word names
};

// "<mark><number>\r\n" at the beginning of `rest`, which it is taken from; nullopt: not whole.
std::optional<std::size_t> take_number(std::string_view& rest, char mark) {
  const auto end = rest.find('\n');
  if (end == std::string_view::npos || rest.front() != mark) return std::nullopt;
  std::size_t number = 0;
  std::from_chars(rest.data() + 1, rest.data() + end, number);
  rest.remove_prefix(end + 1);
  return number;
}

// nullopt: the command has not arrived whole.
std::optional<Command> take_command(std::string_view& input) {
  std::string_view rest = input;
  Command command;
  const auto words = take_number(rest, '*');
  if (!words || *words > kWordsMax) return std::nullopt;
  for (; command.count < *words; ++command.count) {
    const auto length = take_number(rest, '$');
    if (!length || rest.size() < *length + 2) return std::nullopt;
    command.words.at(command.count) = rest.substr(0, *length);
    rest.remove_prefix(*length + 2);
  }
  input = rest;
  if (command.count > 1) command.account = core::AccountId::parse(command.words[1]);
  return command;
}

std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A number in decimal.
class Digits {
 public:
  template <class Number>
  explicit Digits(Number number) {
    const char* const end = std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr;
    size_ = static_cast<std::size_t>(end - text_.data());
  }
  operator std::string_view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_;
  std::size_t size_;
};

void answer_number(std::string& answer, char mark, std::size_t number) {
  answer.push_back(mark);
  answer.append(Digits(number)).append("\r\n");
}

void answer_text(std::string& answer, std::string_view text) {
  answer_number(answer, '$', text.size());
  answer.append(text).append("\r\n");
}

void answer_command(WireBoard& board, const Command& command, std::string& answer) {
  const std::string_view name = command.words[0];
  const auto& account = command.account;
  if (name == "score_top" && command.count == 2) {
    const auto entries = board.top(static_cast<std::size_t>(number_of(command.words[1])));
    answer_number(answer, '*', 2 * entries.size());
    for (const auto& entry : entries) {
      answer_text(answer, entry.account.to_string());
      answer_text(answer, Digits(entry.points));
    }
    return;
  }
  if (account && name == "score_add" && command.count == 3) {
    answer_text(answer, Digits(board.add(*account, number_of(command.words[2]))));
  } else if (account && name == "score_rank" && command.count == 2) {
    answer_number(answer, ':', board.rank(*account));
  } else {
    answer.append("-ERR unknown command\r\n");
  }
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// What has arrived whole, in its order; the memory is told before whom it is about. Long answers do
// not wait for one another. False: the connection is over.
bool answer_all(WireBoard& board, std::span<const Command> commands, int connection) {
  constexpr std::size_t kSentAtOnce = 1U << 15;
  std::string answer;
  while (!commands.empty()) {
    const auto next = commands.first(std::min(commands.size(), scoring::ScoreMemory::kAhead));
    for (std::size_t step = 0; step < scoring::ScoreMemory::kSteps; ++step) {
      for (const Command& command : next) {
        if (command.account) board.prefetch(*command.account, step);
      }
    }
    for (const Command& command : next) {
      answer_command(board, command, answer);
      if (answer.size() < kSentAtOnce) continue;
      if (!send_all(connection, answer)) return false;
      answer.clear();
    }
    commands = commands.subspan(next.size());
  }
  return send_all(connection, answer);
}

void serve_connection(WireBoard& board, int connection) {
  std::string input;
  std::vector<Command> commands;
  std::array<char, kReadBytes> arrived{};
  while (true) {
    const ssize_t got = ::recv(connection, arrived.data(), arrived.size(), 0);
    if (got <= 0) return;
    input.append(arrived.data(), static_cast<std::size_t>(got));
    std::string_view rest = input;
    commands.clear();
    while (const auto command = take_command(rest)) commands.push_back(*command);
    if (!answer_all(board, commands, connection)) return;
    input.erase(0, input.size() - rest.size());
  }
}

}  // namespace

int serve_board(WireBoard& board, std::uint16_t port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 1) != 0) {
    return failed("cannot listen on port " + std::to_string(port));
  }
  while (true) {
    const int connection = ::accept(listener, nullptr, nullptr);
    if (connection < 0) return failed(std::string("accept: ") + std::strerror(errno));
    ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    serve_connection(board, connection);
    ::close(connection);
  }
}

}  // namespace tideline::bench
