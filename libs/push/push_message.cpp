#include "push/push_message.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::push {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Digest = std::array<std::uint8_t, 32>;

constexpr std::size_t kKeySize = 16;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr std::uint32_t kRecordSize = 4096;
constexpr char kLastRecord = 2;  // the delimiter before its padding

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

Digest hmac(Bytes key, std::string_view text) {
  Digest digest;
  unsigned size = 0;
  const auto bytes = core::as_bytes(text);
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(),
             digest.data(), &size) != nullptr &&
            size == digest.size(),
        "HMAC-SHA-256 takes any key and text");
  return digest;
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// HKDF-Expand of RFC 5869 for one block at most.
Digest expand(Bytes key, std::string info) {
  info.push_back(1);
  return hmac(key, info);
}

// AES-128-GCM, the tag behind the text. Empty: OpenSSL refuses.
std::string seal(Bytes key, Bytes nonce, std::string_view plain) {
  const auto bytes = core::as_bytes(plain);
  std::vector<std::uint8_t> sealed(plain.size() + kTagSize);
  int size = 0, rest = 0;
  const CipherContext context(EVP_CIPHER_CTX_new());
  const bool good = context &&
                    EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, key.data(),
                                       nonce.data()) == 1 &&
                    EVP_EncryptUpdate(context.get(), sealed.data(), &size, bytes.data(),
                                      static_cast<int>(bytes.size())) == 1 &&
                    EVP_EncryptFinal_ex(context.get(), sealed.data() + size, &rest) == 1 &&
                    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagSize,
                                        sealed.data() + plain.size()) == 1;
  if (!good) {
    ERR_clear_error();
    return "";
  }
  return std::string(text_of(sealed));
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
  return bytes;
}

}  // namespace

core::Result<std::string> encrypt(const PushTarget& target, std::string_view text) {
  if (text.size() > kMessageLengthMax) return core::invalid_input("the message is too long");
  const auto key = crypto::P256PrivateKey::generate();
  if (!key) return key.error();
  std::array<std::uint8_t, 16> salt;
  if (RAND_bytes(salt.data(), salt.size()) != 1) {
    ERR_clear_error();
    return core::internal_error("OpenSSL has no random numbers");
  }
  return encrypt_with(target, text, *key, salt, kMessageLengthMax - text.size());
}

core::Result<std::string> encrypt_with(const PushTarget& target, std::string_view text,
                                       const crypto::P256PrivateKey& key,
                                       const std::array<std::uint8_t, 16>& salt,
                                       std::size_t padding) {
  const auto browser = crypto::P256PublicKey::from_uncompressed(target.key);
  if (!browser) return browser.error();
  const auto agreed = key.agree(*browser);
  if (!agreed) return agreed.error();
  const auto own = key.public_key().uncompressed();
  // RFC 8291, 3.4, and RFC 8188, 2.2 and 2.3.
  std::string about = "WebPush: info";
  about.push_back(0);
  about.append(text_of(target.key)).append(text_of(own));
  const Digest material = expand(hmac(target.secret, text_of(*agreed)), std::move(about));
  const Digest pseudorandom = hmac(salt, text_of(material));
  const Digest content_key = expand(pseudorandom, std::string("Content-Encoding: aes128gcm\0", 28));
  const Digest nonce = expand(pseudorandom, std::string("Content-Encoding: nonce\0", 24));
  std::string record(text);
  record.push_back(kLastRecord);
  record.append(padding, '\0');
  const std::string sealed =
      seal(Bytes(content_key).first(kKeySize), Bytes(nonce).first(kNonceSize), record);
  if (sealed.empty()) return core::internal_error("OpenSSL could not encrypt");
  std::string body(text_of(salt));
  body.append(big_endian(kRecordSize));
  body.push_back(static_cast<char>(own.size()));
  body.append(text_of(own)).append(sealed);
  return body;
}

}  // namespace tideline::push
