// Who sends a message, for the push service that passes it on (RFC 8292): a token under the key
// that the browser was given when it subscribed. Immutable, thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "crypto/p256_key.hpp"

namespace tideline::push {

class Vapid {
 public:
  // A service refuses what is good for more than a day.
  static constexpr std::chrono::hours kGoodFor{12};

  // `contact`: where a push service reaches the operator, mailto: or https:. InvalidInput for
  // others and for a file that holds no unencrypted private key of P-256 as PEM.
  static core::Result<Vapid> load(const std::string& key_file, std::string contact);

  // Base64url of the uncompressed point: "applicationServerKey" of a page.
  const std::string& public_key() const { return public_key_; }
  // The value of header Authorization for this origin.
  core::Result<std::string> authorization(const std::string& origin, core::Timestamp now) const;

 private:
  Vapid(crypto::P256PrivateKey key, std::string contact);

  crypto::P256PrivateKey key_;
  std::string public_key_;
  std::string contact_;
};

}  // namespace tideline::push
