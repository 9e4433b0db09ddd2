#include "runtime/position_seal.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include "core/encoding.hpp"
#include "crypto/digest.hpp"

namespace tideline::runtime {
namespace {

// When there may be another key, because a token is met that none has sealed.
constexpr std::chrono::seconds kLookAgain{1};

// Says once in an interval that it is time, to one of the threads that ask.
class Interval {
 public:
  Interval(std::chrono::steady_clock::duration length, std::chrono::steady_clock::time_point first)
      : length_(length), next_(first.time_since_epoch()) {}

  bool is_over() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    auto next = next_.load();
    return now >= next && next_.compare_exchange_strong(next, now + length_);
  }

 private:
  const std::chrono::steady_clock::duration length_;
  std::atomic<std::chrono::steady_clock::duration> next_;
};

class Seal {
 public:
  Seal(std::shared_ptr<crypto::KeyFolder> keys, std::chrono::seconds interval)
      : keys_(std::move(keys)),
        look_anyway_(interval, std::chrono::steady_clock::now() + interval) {}

  std::string seal(std::string_view token) {
    const auto keys = look_anyway_.is_over() ? keys_->look_again() : keys_->keys();
    return std::string(token) + "." + mac_of(keys->rbegin()->second, token);
  }

  std::optional<std::string> open(std::string_view sealed) {
    const auto dot = sealed.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view token = sealed.substr(0, dot);
    const std::string_view mac = sealed.substr(dot + 1);
    const bool is_ours = is_by_one_of(*keys_->keys(), token, mac) ||
                         (look_again_.is_over() && is_by_one_of(*keys_->look_again(), token, mac));
    return is_ours ? std::optional<std::string>(token) : std::nullopt;
  }

 private:
  // No user_id holds a colon: where the key is the one of account ids, none of these is ever a mac.
  static std::string mac_of(const crypto::KeyedHash::Secret& key, std::string_view token) {
    const crypto::KeyedHash keyed(key);
    return core::to_base32(keyed.of("position:" + std::string(token)));
  }

  static bool is_by_one_of(const crypto::KeyFolder::Keys& keys, std::string_view token,
                           std::string_view mac) {
    return std::ranges::any_of(keys, [&](const auto& key) {
      return crypto::equal_in_constant_time(mac, mac_of(key.second, token));
    });
  }

  const std::shared_ptr<crypto::KeyFolder> keys_;
  Interval look_again_{kLookAgain, std::chrono::steady_clock::now()};
  Interval look_anyway_;
};

}  // namespace

http::PositionSeal make_position_seal(std::shared_ptr<crypto::KeyFolder> keys,
                                      std::chrono::seconds interval) {
  const auto seal = std::make_shared<Seal>(std::move(keys), interval);
  return {[seal](std::string_view token) { return seal->seal(token); },
          [seal](std::string_view sealed) { return seal->open(sealed); }};
}

}  // namespace tideline::runtime
