#include "runtime/text_seal.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/encoding.hpp"
#include "crypto/digest.hpp"

namespace tideline::runtime {
namespace {

// When there may be another key, because a text is met that none has sealed.
constexpr std::chrono::seconds kLookAgain{1};

class Seal {
 public:
  Seal(std::string purpose, std::shared_ptr<crypto::KeyFolder> keys, std::chrono::seconds interval,
       std::function<void(const std::string&)> on_trouble)
      : purpose_(std::move(purpose) + ":"),
        keys_(std::move(keys)),
        interval_(interval),
        on_trouble_(std::move(on_trouble)),
        sealing_(keys_->keys()->rbegin()->first) {}

  std::string seal(std::string_view text) {
    const auto keys = known_now();
    return std::string(text) + "." + mac_of(keys->at(sealing_key(*keys)), text);
  }

  std::optional<std::string> open(std::string_view sealed) {
    const auto dot = sealed.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view text = sealed.substr(0, dot);
    const std::string_view mac = sealed.substr(dot + 1);
    if (is_by_one_of(*known_now(), text, mac)) return std::string(text);
    // Others may be looking for the same key.
    const std::lock_guard lock(mutex_);
    if (!is_by_one_of(*keys_->keys(), text, mac)) {
      // Anybody may send a text of nobody's.
      if (Steady::now() < looked_ + kLookAgain) return std::nullopt;
      look();
      if (!is_by_one_of(*keys_->keys(), text, mac)) return std::nullopt;
    }
    return std::string(text);
  }

 private:
  using Steady = std::chrono::steady_clock;
  using Keys = crypto::KeyFolder::Keys;

  std::shared_ptr<const Keys> known_now() {
    if (Steady::now() >= next_look_.load()) {
      const std::lock_guard lock(mutex_);
      if (Steady::now() >= next_look_.load()) look();
    }
    return keys_->keys();
  }

  // Under mutex_.
  void look() {
    const auto status = keys_->look_again();
    const std::string trouble = status ? "" : status.error().message;
    if (!trouble.empty() && trouble != trouble_ && on_trouble_) on_trouble_(trouble);
    trouble_ = trouble;
    looked_ = Steady::now();
    next_look_ = looked_ + interval_;
  }

  // A key that was added while this process ran is used when the others must know it, too.
  std::string sealing_key(const Keys& keys) {
    const std::string& newest = keys.rbegin()->first;
    const std::lock_guard lock(mutex_);
    if (newest != sealing_) {
      if (newest != coming_) {
        coming_ = newest;
        sealing_from_ = Steady::now() + 2 * interval_;
      }
      if (Steady::now() >= sealing_from_ || !keys.contains(sealing_)) sealing_ = newest;
    }
    return sealing_;
  }

  // No user_id holds a colon: where the key is the one of account ids, none of these is ever a mac.
  std::string mac_of(const crypto::KeyedHash::Secret& key, std::string_view text) const {
    const crypto::KeyedHash keyed(key);
    return core::to_base32(keyed.of(purpose_ + std::string(text)));
  }

  bool is_by_one_of(const Keys& keys, std::string_view text, std::string_view mac) const {
    return std::ranges::any_of(keys, [&](const auto& key) {
      return crypto::equal_in_constant_time(mac, mac_of(key.second, text));
    });
  }

  const std::string purpose_;
  const std::shared_ptr<crypto::KeyFolder> keys_;
  const std::chrono::seconds interval_;
  const std::function<void(const std::string&)> on_trouble_;
  std::mutex mutex_;
  std::string trouble_;
  std::string sealing_;
  std::string coming_;
  Steady::time_point sealing_from_;
  Steady::time_point looked_;
  std::atomic<Steady::time_point> next_look_{Steady::now() + interval_};
};

}  // namespace

http::TextSeal make_text_seal(std::string purpose, std::shared_ptr<crypto::KeyFolder> keys,
                              std::chrono::seconds interval,
                              std::function<void(const std::string&)> on_trouble) {
  const auto seal =
      std::make_shared<Seal>(std::move(purpose), std::move(keys), interval, std::move(on_trouble));
  return {[seal](std::string_view text) { return seal->seal(text); },
          [seal](std::string_view sealed) { return seal->open(sealed); }};
}

}  // namespace tideline::runtime
