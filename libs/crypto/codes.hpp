// Codes that prove something to their maker later: "whoever shows this has read the mail that went
// to this address". Nothing is stored: a code is a time and a keyed hash over that time and what it
// is about.
#pragma once

#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "crypto/keyed_hash.hpp"

namespace tideline::crypto {

// Immutable: any number of threads may share one.
class Codes {
 public:
  // 32 characters of base32.
  static constexpr std::size_t kLength = 32;

  explicit Codes(const KeyedHash& hash) : hash_(hash) {}

  // About `subject`, which names its purpose too, and good until `expires_at` (whole seconds).
  std::string make(std::string_view subject, core::Timestamp expires_at) const;
  // Whether it is one of these for that subject, and still good. Time does not depend on how much
  // of it is right.
  bool accepts(std::string_view code, std::string_view subject, core::Timestamp now) const;

 private:
  KeyedHash hash_;
};

}  // namespace tideline::crypto
