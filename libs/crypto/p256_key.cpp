#include "crypto/p256_key.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <vector>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::crypto {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    free(pointer);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Free<BN_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;

constexpr int kHalf = 32;

// Without this, OpenSSL asks the terminal for the passphrase of an encrypted file.
int no_passphrase(char*, int, int, void*) { return 0; }

using ReadPem = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

std::shared_ptr<EVP_PKEY> read_p256(std::string_view pem, ReadPem read) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return nullptr;
  const std::shared_ptr<EVP_PKEY> key(read(bio.get(), nullptr, no_passphrase, nullptr),
                                      EVP_PKEY_free);
  ERR_clear_error();
  if (!key || EVP_PKEY_is_a(key.get(), "EC") != 1) return nullptr;
  char group[64] = {};
  const bool named = EVP_PKEY_get_group_name(key.get(), group, sizeof group, nullptr) == 1;
  return named && std::string_view(group) == "prime256v1" ? key : nullptr;
}

std::array<std::uint8_t, kHalf> coordinate(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  const int found = EVP_PKEY_get_bn_param(key, name, &number);
  const BigNumber owner(number);
  CHECK(found == 1, "a key of P-256 has coordinates");
  std::array<std::uint8_t, kHalf> bytes;
  CHECK(BN_bn2binpad(number, bytes.data(), kHalf) == kHalf, "a coordinate of P-256 has 32 bytes");
  return bytes;
}

// OpenSSL wants DER, in which numbers have no fixed length. Empty if the numbers cannot be read.
std::vector<std::uint8_t> to_der(const P256Signature& signature) {
  const EcdsaSignature numbers(ECDSA_SIG_new());
  BigNumber r(BN_bin2bn(signature.data(), kHalf, nullptr));
  BigNumber s(BN_bin2bn(signature.data() + kHalf, kHalf, nullptr));
  if (!numbers || !r || !s) return {};
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());
  const int size = i2d_ECDSA_SIG(numbers.get(), nullptr);
  if (size <= 0) return {};
  std::vector<std::uint8_t> der(static_cast<std::size_t>(size));
  std::uint8_t* end = der.data();
  i2d_ECDSA_SIG(numbers.get(), &end);
  return der;
}

bool from_der(const std::vector<std::uint8_t>& der, P256Signature& signature) {
  const std::uint8_t* begin = der.data();
  const EcdsaSignature numbers(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
  return numbers &&
         BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), signature.data(), kHalf) == kHalf &&
         BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), signature.data() + kHalf, kHalf) == kHalf;
}

}  // namespace

core::Result<P256PublicKey> P256PublicKey::from_pem(std::string_view pem) {
  std::shared_ptr<EVP_PKEY> key = read_p256(pem, PEM_read_bio_PUBKEY);
  if (!key) return core::invalid_input("not a PEM public key of the curve P-256");
  return P256PublicKey(std::move(key));
}

core::Result<P256PublicKey> P256PublicKey::from_uncompressed(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kUncompressed = 4;
  const auto refused = core::invalid_input("no uncompressed point of the curve P-256");
  if (bytes.size() != 1 + 2 * kHalf || bytes.front() != kUncompressed) return refused;
  std::vector<std::uint8_t> point(bytes.begin(), bytes.end());
  char group[] = "prime256v1";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* made = nullptr;
  const bool good = context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                    EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY,
                                      const_cast<OSSL_PARAM*>(parameters)) == 1;
  std::shared_ptr<EVP_PKEY> key(made, EVP_PKEY_free);
  // A point that is not on the curve would give away bits of the private key that it meets.
  const KeyContext check(good ? EVP_PKEY_CTX_new(key.get(), nullptr) : nullptr);
  if (!check || EVP_PKEY_public_check(check.get()) != 1) {
    ERR_clear_error();
    return refused;
  }
  return P256PublicKey(std::move(key));
}

std::array<std::uint8_t, 65> P256PublicKey::uncompressed() const {
  const P256Point both = point();
  std::array<std::uint8_t, 65> bytes{4};
  std::copy(both.x.begin(), both.x.end(), bytes.begin() + 1);
  std::copy(both.y.begin(), both.y.end(), bytes.begin() + 1 + kHalf);
  return bytes;
}

bool P256PublicKey::verify(std::string_view message, const P256Signature& signature) const {
  const std::vector<std::uint8_t> der = to_der(signature);
  const DigestContext context(EVP_MD_CTX_new());
  if (der.empty() || !context) return false;
  const auto bytes = core::as_bytes(message);
  const bool good =
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
      EVP_DigestVerify(context.get(), der.data(), der.size(), bytes.data(), bytes.size()) == 1;
  // OpenSSL keeps errors for this thread; a later, unrelated call would stumble over them.
  if (!good) ERR_clear_error();
  return good;
}

P256Point P256PublicKey::point() const {
  return {coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X),
          coordinate(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y)};
}

core::Result<P256PrivateKey> P256PrivateKey::from_pem(std::string_view pem) {
  std::shared_ptr<EVP_PKEY> key = read_p256(pem, PEM_read_bio_PrivateKey);
  if (!key) return core::invalid_input("not an unencrypted PEM private key of the curve P-256");
  return P256PrivateKey(std::move(key));
}

core::Result<P256PrivateKey> P256PrivateKey::generate() {
  std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  if (!key) {
    ERR_clear_error();
    return core::internal_error("OpenSSL could not make a key");
  }
  return P256PrivateKey(std::move(key));
}

core::Result<std::array<std::uint8_t, 32>> P256PrivateKey::agree(const P256PublicKey& other) const {
  std::array<std::uint8_t, 32> shared{};
  std::size_t size = shared.size();
  const KeyContext context(EVP_PKEY_CTX_new(key_.get(), nullptr));
  if (!context || EVP_PKEY_derive_init(context.get()) != 1 ||
      EVP_PKEY_derive_set_peer(context.get(), other.key_.get()) != 1 ||
      EVP_PKEY_derive(context.get(), shared.data(), &size) != 1 || size != shared.size()) {
    ERR_clear_error();
    return core::internal_error("OpenSSL could not agree on a secret");
  }
  return shared;
}

core::Result<P256Signature> P256PrivateKey::sign(std::string_view message) const {
  const DigestContext context(EVP_MD_CTX_new());
  const auto bytes = core::as_bytes(message);
  std::size_t size = 0;
  bool good = context &&
              EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, bytes.data(), bytes.size()) == 1;
  std::vector<std::uint8_t> der(size);
  P256Signature signature{};
  good = good && EVP_DigestSign(context.get(), der.data(), &size, bytes.data(), bytes.size()) == 1;
  der.resize(good ? size : 0);
  if (!good || !from_der(der, signature)) {
    ERR_clear_error();
    return core::internal_error("OpenSSL could not sign");
  }
  return signature;
}

}  // namespace tideline::crypto
