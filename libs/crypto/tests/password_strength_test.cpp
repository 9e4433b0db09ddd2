#include "crypto/password_strength.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tideline::crypto {
namespace {

TEST(PasswordStrength, WhatManyUseIsEasilyGuessed) {
  for (const char* password :
       {"password", "password1", "P@ssw0rd", "12345678", "qwertyuiop", "iloveyou", "football1",
        "trustno1", "sunshine", "00000000", "abcdefgh", "abcd1234", "monkey123"}) {
    EXPECT_TRUE(is_easily_guessed(password)) << password;
  }
  EXPECT_TRUE(is_easily_guessed(std::string(256, 'a')));
}

TEST(PasswordStrength, SoAreWordsOfOnesOwn) {
  EXPECT_FALSE(is_easily_guessed("071140-kw"));
  EXPECT_TRUE(is_easily_guessed("071140-kw", {"071140-kw"}));
  EXPECT_TRUE(is_easily_guessed("Lovelace", {"", "lovelace"}));
}

TEST(PasswordStrength, PhrasesAndRandomTextAreNot) {
  for (const char* password :
       {"correct horse battery", "a long secret", "xk3jd8sk", "größe7 äöü"}) {
    EXPECT_FALSE(is_easily_guessed(password)) << password;
  }
}

// The first bytes decide, so that a long password costs no more than a short one.
TEST(PasswordStrength, ALongPasswordIsTakenAsItBegins) {
  EXPECT_FALSE(is_easily_guessed("correct horse battery" + std::string(235, ' ')));
}

}  // namespace
}  // namespace tideline::crypto
