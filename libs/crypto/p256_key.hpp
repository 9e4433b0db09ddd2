// EC P-256 keys of OpenSSL behind plain types, for tokens and for messages to browsers (libs/push).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
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

  // InvalidInput unless the bytes are a point of this curve in its uncompressed form, 65 of them
  // (SEC 1, 2.3.3).
  static core::Result<P256PublicKey> from_uncompressed(std::span<const std::uint8_t> bytes);

  // ECDSA over SHA-256.
  bool verify(std::string_view message, const P256Signature& signature) const;
  P256Point point() const;
  std::array<std::uint8_t, 65> uncompressed() const;

 private:
  friend class P256PrivateKey;
  explicit P256PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

class P256PrivateKey {
 public:
  // InvalidInput unless `pem` holds an unencrypted private key of this curve.
  static core::Result<P256PrivateKey> from_pem(std::string_view pem);

  // Of OpenSSL's random numbers.
  static core::Result<P256PrivateKey> generate();

  core::Result<P256Signature> sign(std::string_view message) const;
  P256PublicKey public_key() const { return P256PublicKey(key_); }
  // ECDH: the x coordinate that both sides come to.
  core::Result<std::array<std::uint8_t, 32>> agree(const P256PublicKey& other) const;

 private:
  explicit P256PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace tideline::crypto
