// Keys made for a test.
#pragma once

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <functional>
#include <memory>
#include <string>

namespace tideline::crypto {

struct KeyPair {
  std::string private_pem;
  std::string public_pem;
};

inline std::string pem_text(const std::function<int(BIO*)>& write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
  EXPECT_EQ(write(bio.get()), 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

inline KeyPair pem_of(EVP_PKEY* made) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(made, EVP_PKEY_free);
  return {pem_text([&](BIO* bio) {
            return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          }),
          pem_text([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key.get()); })};
}

inline KeyPair new_key_pair(const char* curve = "P-256") { return pem_of(EVP_EC_gen(curve)); }

}  // namespace tideline::crypto
