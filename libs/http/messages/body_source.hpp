// A body that is read piece by piece while its client takes it, so that no more than a piece of it
// is in memory.
//
// Threads: one at a time, a worker's; `read` may block on a database. It outlives the request, so
// it refers to nothing of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tideline::http {

struct BodySource {
  // The bytes of the whole that are still to be sent.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // What there is from `offset` on: at least one byte, and as many as make a piece. What it throws
  // ends the answer: with 500 in its place before the first piece, else by breaking it off.
  std::function<std::string(std::uint64_t offset)> read;

  [[nodiscard]] std::uint64_t left() const { return end - begin; }

  // The next piece. Only while there is one left.
  [[nodiscard]] std::string take() {
    std::string piece = read(begin);
    if (piece.empty()) throw std::runtime_error("a piece of the body is gone");
    if (piece.size() > left()) piece.resize(static_cast<std::size_t>(left()));
    begin += piece.size();
    return piece;
  }
};

}  // namespace tideline::http
