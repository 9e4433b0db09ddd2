// An authority made for a test, and certificates of it in a folder that goes with it.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "http/tls/identity.hpp"

namespace tideline::http::testing {

class TestAuthority {
 public:
  TestAuthority() {
    std::string made = ::testing::TempDir() + "authority.XXXXXX";
    EXPECT_NE(mkdtemp(made.data()), nullptr);
    folder_ = made;
    certificate_ = certificate_of("authority", key_);
    extend(certificate_, NID_basic_constraints, "critical,CA:TRUE");
    sign(certificate_);
    write(folder_ / "authority.pem", certificate_);
  }
  ~TestAuthority() { std::filesystem::remove_all(folder_); }
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // In files of `name`, which are written anew when it is asked for again.
  TlsIdentity certify(const std::string& name) {
    const Key key = new_key();
    const Certificate certificate = certificate_of(name, key);
    extend(certificate, NID_subject_alt_name, "DNS:" + name);
    sign(certificate);
    write(folder_ / (name + ".pem"), certificate);
    FILE* file = fopen((folder_ / (name + ".key")).c_str(), "w");
    EXPECT_EQ(PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr), 1);
    fclose(file);
    return {folder_ / (name + ".pem"), folder_ / (name + ".key"), folder_ / "authority.pem"};
  }

 private:
  using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
  using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

  static Key new_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

  static Certificate certificate_of(const std::string& name, const Key& key) {
    static long number = 0;
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++number);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_NAME* issuer = X509_NAME_new();
    X509_NAME_add_entry_by_txt(issuer, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("authority"), -1, -1, 0);
    X509_set_issuer_name(made.get(), issuer);
    X509_NAME_free(issuer);
    X509_set_pubkey(made.get(), key.get());
    return made;
  }

  static void extend(const Certificate& certificate, int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    EXPECT_EQ(X509_add_ext(certificate.get(), extension, -1), 1);
    X509_EXTENSION_free(extension);
  }

  void sign(const Certificate& certificate) const {
    EXPECT_GT(X509_sign(certificate.get(), key_.get(), EVP_sha256()), 0);
  }

  static void write(const std::filesystem::path& path, const Certificate& certificate) {
    FILE* file = fopen(path.c_str(), "w");
    EXPECT_EQ(PEM_write_X509(file, certificate.get()), 1);
    fclose(file);
  }

  std::filesystem::path folder_;
  Key key_ = new_key();
  Certificate certificate_{nullptr, X509_free};
};

}  // namespace tideline::http::testing
