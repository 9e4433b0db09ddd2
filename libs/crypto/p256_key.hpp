// EC P-256 keys of OpenSSL behind plain types, for tokens. Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.hpp"

struct evp_pkey_st;

namespace tideline::crypto {

// r and s, 32 bytes each, big endian: the form of RFC 7518 section 3.4.
using P256Signature = std::array<std::uint8_t, 64>;

struct P256Point {
  std::array<std::uint8_t, 32> x;
  std::array<std::uint8_t, 32> y;
};

// Immutable, shared between threads and copies.
class P256PublicKey {
 public:
  // InvalidInput unless `pem` holds a public key of this curve.
  static core::Result<P256PublicKey> from_pem(std::string_view pem);

  // ECDSA over SHA-256.
  bool verify(std::string_view message, const P256Signature& signature) const;
  P256Point point() const;

 private:
  explicit P256PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

class P256PrivateKey {
 public:
  // InvalidInput unless `pem` holds an unencrypted private key of this curve.
  static core::Result<P256PrivateKey> from_pem(std::string_view pem);

  core::Result<P256Signature> sign(std::string_view message) const;

 private:
  explicit P256PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace tideline::crypto
