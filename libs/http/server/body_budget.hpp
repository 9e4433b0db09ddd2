// Inside libs/http: how much memory the large bodies of all requests may take at once, and how many
// of them one client may send. Small bodies do not count: they have a limit each.
//
// Thread-safe; nothing here blocks. A budget outlives its permits.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

#include "http/messages/problem.hpp"
#include "http/server/shares.hpp"

namespace tideline::http {

class BodyBudget {
 public:
  // The right to hold so many bytes. Move-only: it goes back once, when it is dropped.
  class Permit {
   public:
    Permit() = default;  // of nothing
    Permit(Permit&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          holder_(std::move(other.holder_)),
          bytes_(other.bytes_) {}
    Permit& operator=(Permit&& other) noexcept;
    ~Permit() { give_back(); }

    void give_back();

   private:
    friend class BodyBudget;
    Permit(BodyBudget& budget, std::string holder, std::size_t bytes)
        : budget_(&budget), holder_(std::move(holder)), bytes_(bytes) {}

    BodyBudget* budget_ = nullptr;
    std::string holder_;
    std::size_t bytes_ = 0;
  };

  // `per_holder`: bodies at once of one account, or of one address without any.
  BodyBudget(std::size_t bytes_max, std::size_t per_holder)
      : bytes_max_(bytes_max), shares_(per_holder) {}

  // 429 when the holder has its share, 503 when the bytes are spent; both with Retry-After.
  Parsed<Permit> take(const std::string& holder, std::size_t bytes);
  [[nodiscard]] std::size_t taken() const;

 private:
  const std::size_t bytes_max_;
  Shares shares_;
  mutable std::mutex mutex_;
  std::size_t taken_ = 0;
};

}  // namespace tideline::http
