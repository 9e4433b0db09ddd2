#include "crypto/p256_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/encoding.hpp"
#include "key_pair.hpp"

namespace tideline::crypto {
namespace {

// RFC 7515, appendix A.3.
constexpr std::string_view kRfcKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
    "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
    "-----END PUBLIC KEY-----\n";
constexpr std::string_view kRfcSignedText =
    "eyJhbGciOiJFUzI1NiJ9"
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl"
    "fQ";
constexpr std::string_view kRfcSignature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

P256Signature signature_of(std::string_view text) {
  const core::Bytes bytes = *core::from_base64url(text);
  P256Signature signature{};
  std::copy(bytes.begin(), bytes.end(), signature.begin());
  return signature;
}

TEST(P256KeyTest, VerifiesTheExampleOfTheStandard) {
  const auto key = P256PublicKey::from_pem(kRfcKey);
  ASSERT_TRUE(key.ok());
  EXPECT_TRUE(key->verify(kRfcSignedText, signature_of(kRfcSignature)));
  P256Signature changed = signature_of(kRfcSignature);
  changed[63] ^= 1;
  EXPECT_FALSE(key->verify(kRfcSignedText, changed));
  EXPECT_FALSE(key->verify("other", signature_of(kRfcSignature)));
}

TEST(P256KeyTest, GivesTheCoordinatesOfTheStandardsExample) {
  const P256Point point = P256PublicKey::from_pem(kRfcKey)->point();
  EXPECT_EQ(core::to_base64url(point.x), "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU");
  EXPECT_EQ(core::to_base64url(point.y), "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0");
}

TEST(P256KeyTest, ZerosAndOverlargeNumbersAreNoSignature) {
  const auto key = P256PublicKey::from_pem(kRfcKey);
  P256Signature signature{};
  EXPECT_FALSE(key->verify(kRfcSignedText, signature));
  signature.fill(0xff);
  EXPECT_FALSE(key->verify(kRfcSignedText, signature));
}

TEST(P256KeyTest, SignaturesAlwaysHave64Bytes) {
  const KeyPair pair = new_key_pair();
  const auto private_key = P256PrivateKey::from_pem(pair.private_pem);
  const auto public_key = P256PublicKey::from_pem(pair.public_pem);
  ASSERT_TRUE(private_key.ok() && public_key.ok());
  bool led_by_zero = false;
  // One signature in 128 has a number that DER writes shorter.
  for (int i = 0; i < 5000 && !led_by_zero; ++i) {
    const std::string message = std::to_string(i);
    const auto signature = private_key->sign(message);
    ASSERT_TRUE(signature.ok());
    led_by_zero = signature->front() == 0 || (*signature)[32] == 0;
    ASSERT_TRUE(public_key->verify(message, *signature));
  }
  EXPECT_TRUE(led_by_zero);
}

TEST(P256KeyTest, RefusesOtherKeys) {
  const KeyPair pair = new_key_pair();
  const KeyPair other_curve = new_key_pair("P-384");
  const KeyPair same_size = new_key_pair("secp256k1");
  const KeyPair rsa = pem_of(EVP_RSA_gen(2048));
  for (const std::string& pem : {other_curve.public_pem, same_size.public_pem, rsa.public_pem,
                                 pair.private_pem, std::string("nothing"), std::string()}) {
    EXPECT_FALSE(P256PublicKey::from_pem(pem).ok()) << pem;
  }
  for (const std::string& pem :
       {other_curve.private_pem, same_size.private_pem, rsa.private_pem, pair.public_pem}) {
    EXPECT_FALSE(P256PrivateKey::from_pem(pem).ok()) << pem;
  }
}

TEST(P256KeyTest, RefusesAnEncryptedKeyWithoutAskingForItsPassphrase) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  unsigned char phrase[] = "phrase";
  const std::string pem = pem_text([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), EVP_aes_128_cbc(), phrase, 6, nullptr, nullptr);
  });
  EXPECT_FALSE(P256PrivateKey::from_pem(pem).ok());
}

}  // namespace
}  // namespace tideline::crypto
