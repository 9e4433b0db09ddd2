#include "crypto/token.hpp"

#include <gtest/gtest.h>
#include <jwt.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/encoding.hpp"
#include "crypto/p256_key.hpp"
#include "key_pair.hpp"
#include "temporary_folder.hpp"

namespace tideline::crypto {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr std::int64_t kNowSeconds = 1'700'000'000;
const core::Timestamp kNow{seconds(kNowSeconds)};

const std::vector<std::string> kRoles = {"user", "operator"};
const std::string kSession = "06a0q3kgeg0kxrg4z7m5h2b3c8";

core::AccountId alice() {
  core::AccountId::Bytes bytes{};
  bytes.fill(7);
  return core::AccountId(bytes);
}

std::string part(const std::string& text) { return core::to_base64url(core::as_bytes(text)); }

json good_header() { return {{"alg", "ES256"}, {"kid", "key-1"}, {"typ", "JWT"}}; }

json good_claims() {
  return {{"iss", "tideline"}, {"aud", "tideline"},  {"sub", alice().to_string()},
          {"roles", kRoles},   {"iat", kNowSeconds}, {"exp", kNowSeconds + 900}};
}

class TokenTest : public testing::Test {
 protected:
  TokenTest() {
    std::filesystem::create_directories(folder.path() / "public");
    publish("key-1", pair);
    signer.emplace(TokenSigner::load(folder.write("key-1.pem", pair.private_pem)).value());
    verifier.emplace(TokenVerifier::load(public_folder()).value());
  }

  std::filesystem::path public_folder() const { return folder.path() / "public"; }

  void publish(const std::string& kid, const KeyPair& keys) const {
    folder.write("public/" + kid + ".pem", keys.public_pem);
  }

  // A token with any header and claims, signed with the right key.
  std::string forge(const std::string& header, const std::string& claims) const {
    const std::string text = part(header) + "." + part(claims);
    const auto signature = P256PrivateKey::from_pem(pair.private_pem)->sign(text);
    return text + "." + core::to_base64url(*signature);
  }
  std::string forge(const json& header, const json& claims) const {
    return forge(header.dump(), claims.dump());
  }

  std::string refusal(const std::string& token, core::Timestamp now = kNow) const {
    const auto verified = verifier->verify(token, now);
    if (verified.ok()) return "accepted";
    EXPECT_EQ(verified.error().code, core::ErrorCode::InvalidInput);
    EXPECT_FALSE(verified.error().retryable);
    return verified.error().message;
  }

  std::string sign(core::Timestamp now = kNow) const {
    return signer->sign({alice(), kRoles, kSession, 3}, now)->token;
  }

  TemporaryFolder folder;
  KeyPair pair = new_key_pair();
  std::optional<TokenSigner> signer;
  std::optional<TokenVerifier> verifier;
};

TEST_F(TokenTest, VerifiesWhatTheSignerSigned) {
  const auto signed_token =
      signer->sign({alice(), kRoles, kSession, 3}, kNow + std::chrono::milliseconds(700));
  ASSERT_TRUE(signed_token.ok());
  EXPECT_EQ(signed_token->expires_at, kNow + seconds(900));
  const auto verified = verifier->verify(signed_token->token, kNow);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  EXPECT_EQ(verified->subject.account, alice());
  EXPECT_EQ(verified->subject.roles, kRoles);
  EXPECT_EQ(verified->subject.session_id, kSession);
  EXPECT_EQ(verified->subject.password_version, 3U);
  EXPECT_EQ(verified->expires_at, signed_token->expires_at);
  EXPECT_TRUE(verified->has_role("operator"));
  EXPECT_FALSE(verified->has_role("oper"));
  EXPECT_EQ(signer->key_id(), "key-1");
}

TEST_F(TokenTest, TheForgeMakesGoodTokensToo) {
  EXPECT_EQ(refusal(forge(good_header(), good_claims())), "accepted");
}

TEST_F(TokenTest, ExpiresToTheSecond) {
  const std::string token = sign();
  EXPECT_EQ(refusal(token, kNow + seconds(899)), "accepted");
  EXPECT_EQ(refusal(token, kNow + seconds(900)), "expired");
}

TEST_F(TokenTest, AllowsForClocksThatDifferALittle) {
  EXPECT_EQ(refusal(sign(kNow + seconds(30))), "accepted");
  EXPECT_EQ(refusal(sign(kNow + seconds(31))), "issued in the future");
  json claims = good_claims();
  claims["nbf"] = kNowSeconds + 30;
  EXPECT_EQ(refusal(forge(good_header(), claims)), "accepted");
  claims["nbf"] = kNowSeconds + 31;
  EXPECT_EQ(refusal(forge(good_header(), claims)), "not yet");
}

TEST_F(TokenTest, RefusesTheAlgorithmNone) {
  for (const char* name : {"none", "None", "NONE", "nOnE", ""}) {
    json header = good_header();
    header["alg"] = name;
    const std::string text = part(header.dump()) + "." + part(good_claims().dump());
    EXPECT_EQ(refusal(text + "."), "another algorithm") << name;
    EXPECT_EQ(refusal(forge(header, good_claims())), "another algorithm") << name;
  }
}

// What libjwt makes, and would itself take, when the public key serves as a shared secret.
std::string libjwt_token(jwt_alg_t algorithm, const std::string& key) {
  jwt_t* jwt = nullptr;
  EXPECT_EQ(jwt_new(&jwt), 0);
  EXPECT_EQ(jwt_add_header(jwt, "kid", "key-1"), 0);
  EXPECT_EQ(jwt_add_grants_json(jwt, good_claims().dump().c_str()), 0);
  EXPECT_EQ(jwt_set_alg(jwt, algorithm, reinterpret_cast<const unsigned char*>(key.data()),
                        static_cast<int>(key.size())),
            0);
  char* text = jwt_encode_str(jwt);
  EXPECT_NE(text, nullptr);
  std::string token(text == nullptr ? "" : text);
  std::free(text);
  jwt_free(jwt);
  return token;
}

TEST_F(TokenTest, RefusesHs256UnderThePublicKey) {
  const std::string token = libjwt_token(JWT_ALG_HS256, pair.public_pem);
  jwt_t* fooled = nullptr;
  EXPECT_EQ(jwt_decode(&fooled, token.c_str(),
                       reinterpret_cast<const unsigned char*>(pair.public_pem.data()),
                       static_cast<int>(pair.public_pem.size())),
            0)
      << "the forged token must be a good forgery, or this test shows nothing";
  jwt_free(fooled);
  EXPECT_EQ(refusal(token), "another algorithm");
}

TEST_F(TokenTest, AgreesWithAnotherImplementation) {
  EXPECT_EQ(refusal(libjwt_token(JWT_ALG_ES256, pair.private_pem)), "accepted");
  jwt_t* jwt = nullptr;
  const std::string token = sign();
  ASSERT_EQ(jwt_decode(&jwt, token.c_str(),
                       reinterpret_cast<const unsigned char*>(pair.public_pem.data()),
                       static_cast<int>(pair.public_pem.size())),
            0);
  EXPECT_EQ(jwt_get_alg(jwt), JWT_ALG_ES256);
  EXPECT_STREQ(jwt_get_grant(jwt, "sub"), alice().to_string().c_str());
  EXPECT_STREQ(jwt_get_header(jwt, "kid"), "key-1");
  EXPECT_EQ(jwt_get_grant_int(jwt, "exp"), kNowSeconds + 900);
  jwt_free(jwt);
}

TEST_F(TokenTest, RefusesOtherHeaders) {
  const auto with = [](const char* name, const json& value) {
    json header = good_header();
    header[name] = value;
    return header;
  };
  const json claims = good_claims();
  EXPECT_EQ(refusal(forge(with("alg", "es256"), claims)), "another algorithm");
  EXPECT_EQ(refusal(forge(with("alg", "ES384"), claims)), "another algorithm");
  EXPECT_EQ(refusal(forge(with("alg", 256), claims)), "another algorithm");
  EXPECT_EQ(refusal(forge(with("crit", json::array({"exp"})), claims)), "unknown critical header");
  EXPECT_EQ(refusal(forge(with("typ", "dpop+jwt"), claims)), "another type of token");
  EXPECT_EQ(refusal(forge(with("kid", "../key-1"), claims)), "without a key id");
  EXPECT_EQ(refusal(forge(with("kid", 1), claims)), "without a key id");
  EXPECT_EQ(refusal(forge(with("kid", "key-2"), claims)), "unknown key id");
  json no_kid = good_header();
  no_kid.erase("kid");
  EXPECT_EQ(refusal(forge(no_kid, claims)), "without a key id");
}

TEST_F(TokenTest, RefusesOtherClaims) {
  const auto with = [](const char* name, const json& value) {
    json claims = good_claims();
    claims[name] = value;
    return claims;
  };
  const json header = good_header();
  const std::string times = "without a time of issue or expiry";
  EXPECT_EQ(refusal(forge(header, with("iss", "other"))), "another issuer");
  EXPECT_EQ(refusal(forge(header, with("aud", "other"))), "for another audience");
  EXPECT_EQ(refusal(forge(header, with("aud", {"tideline"}))), "for another audience");
  EXPECT_EQ(refusal(forge(header, with("exp", "1800000000"))), times);
  EXPECT_EQ(refusal(forge(header, with("exp", 1.8e9))), times);
  EXPECT_EQ(refusal(forge(header, with("exp", 18'446'744'073'709'551'615ULL))), times);
  EXPECT_EQ(refusal(forge(header, with("exp", 253'402'300'800))), times);
  EXPECT_EQ(refusal(forge(header, with("exp", -1))), times);
  EXPECT_EQ(refusal(forge(header, with("iat", nullptr))), times);
  EXPECT_EQ(refusal(forge(header, with("nbf", "soon"))), "not yet");
  EXPECT_EQ(refusal(forge(header, with("sub", "20190001"))), "without an account");
  EXPECT_EQ(refusal(forge(header, with("sub", 7))), "without an account");
  EXPECT_EQ(refusal(forge(header, with("roles", "operator"))), "without roles");
  EXPECT_EQ(refusal(forge(header, with("roles", {1}))), "without roles");
  EXPECT_EQ(refusal(forge(header, with("roles", std::vector<std::string>(17, "user")))),
            "without roles");
  for (const char* name : {"iss", "aud", "sub", "roles", "iat", "exp"}) {
    json claims = good_claims();
    claims.erase(name);
    EXPECT_NE(refusal(forge(header, claims)), "accepted") << name;
  }
}

TEST_F(TokenTest, RefusesWhatHasBeenTamperedWith) {
  const std::string token = sign();
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(refusal(changed), "accepted") << "letter " << i;
  }
  const std::string head = token.substr(0, token.find('.'));
  const std::string signature = token.substr(token.rfind('.'));
  json claims = good_claims();
  claims["roles"] = {"operator"};
  EXPECT_EQ(refusal(head + "." + part(claims.dump()) + signature), "wrong signature");
  EXPECT_EQ(refusal(token + "="), "unreadable signature");
  EXPECT_EQ(refusal(token + ".x"), "unreadable signature");
}

TEST_F(TokenTest, RefusesAnotherKeyUnderAKnownName) {
  const auto impostor =
      TokenSigner::load(folder.write("key-1.pem", new_key_pair().private_pem)).value();
  EXPECT_EQ(refusal(impostor.sign({alice(), kRoles, kSession, 3}, kNow)->token), "wrong signature");
}

TEST_F(TokenTest, RefusesWhatIsNoToken) {
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), std::string("..."), std::string("a.b"),
        std::string("a.b.c"), std::string("\0.\0.\0", 5), std::string(10'000, '.'),
        part("[]") + "." + part("{}") + "." + part("x"), part(std::string(1500, '[')) + ".e30.x"}) {
    EXPECT_NE(refusal(text), "accepted");
  }
  EXPECT_EQ(refusal(std::string(TokenVerifier::kTokenBytesMax + 1, 'a')), "too long for a token");
  EXPECT_EQ(refusal(forge(good_header().dump(), "[1]")), "unreadable claims");
}

TEST_F(TokenTest, ANewKeyIsFoundWhenATokenNamesIt) {
  const KeyPair next = new_key_pair();
  const auto next_signer = TokenSigner::load(folder.write("key-2.pem", next.private_pem)).value();
  const std::string token = next_signer.sign({alice(), kRoles, kSession, 3}, kNow)->token;
  EXPECT_EQ(refusal(token), "unknown key id");
  publish("key-2", next);
  EXPECT_EQ(refusal(token, kNow + seconds(9)), "unknown key id") << "reads no oftener than 10 s";
  EXPECT_EQ(refusal(token, kNow + seconds(10)), "accepted");
  EXPECT_EQ(refusal(sign(), kNow + seconds(10)), "accepted") << "the old key is good as well";
}

TEST_F(TokenTest, AKeyThatWasTakenAwayIsForgotten) {
  publish("key-2", new_key_pair());
  EXPECT_EQ(refusal(sign()), "accepted");
  std::filesystem::remove(public_folder() / "key-1.pem");
  EXPECT_EQ(refusal(sign(), kNow + seconds(59)), "accepted");
  EXPECT_EQ(refusal(sign(), kNow + seconds(60)), "unknown key id");
}

TEST_F(TokenTest, KeepsItsKeysWhenTheFolderCannotBeRead) {
  folder.write("public/broken.pem", "half a fi");
  EXPECT_EQ(refusal(sign(), kNow + seconds(100)), "accepted");
  std::filesystem::remove_all(public_folder());
  EXPECT_EQ(refusal(sign(), kNow + seconds(200)), "accepted");
}

TEST_F(TokenTest, PublishesItsKeysAsJwks) {
  folder.write("public/README", "not a key");
  publish("key-0", new_key_pair());
  const json keys = json::parse(verifier->jwks(kNow)).at("keys");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0]["kid"], "key-0");
  const json& key = keys[1];
  const P256Point point = P256PublicKey::from_pem(pair.public_pem)->point();
  EXPECT_EQ(key, json({{"kty", "EC"},
                       {"crv", "P-256"},
                       {"alg", "ES256"},
                       {"use", "sig"},
                       {"kid", "key-1"},
                       {"x", core::to_base64url(point.x)},
                       {"y", core::to_base64url(point.y)}}));
}

TEST_F(TokenTest, LoadsOnlyFoldersOfPublicKeys) {
  const auto code = [](const std::filesystem::path& path) {
    return TokenVerifier::load(path).error().code;
  };
  EXPECT_EQ(code(folder.path() / "missing"), core::ErrorCode::NotFound);
  std::filesystem::create_directories(folder.path() / "empty");
  EXPECT_EQ(code(folder.path() / "empty"), core::ErrorCode::NotFound);
  folder.write("empty/private.pem", pair.private_pem);
  EXPECT_EQ(code(folder.path() / "empty"), core::ErrorCode::InvalidInput);
  std::filesystem::remove(folder.path() / "empty/private.pem");
  folder.write("empty/not a kid.pem", pair.public_pem);
  EXPECT_EQ(code(folder.path() / "empty"), core::ErrorCode::InvalidInput);
}

TEST_F(TokenTest, LoadsOnlyPrivateKeysForSigning) {
  const auto code = [](const std::filesystem::path& path) {
    return TokenSigner::load(path).error().code;
  };
  EXPECT_EQ(code(folder.path() / "missing.pem"), core::ErrorCode::NotFound);
  EXPECT_EQ(code(folder.write("key.txt", pair.private_pem)), core::ErrorCode::InvalidInput);
  EXPECT_EQ(code(folder.write("public.pem", pair.public_pem)), core::ErrorCode::InvalidInput);
}

TEST_F(TokenTest, ThreadsShareOneVerifier) {
  const std::string token = sign();
  std::vector<std::jthread> threads;
  std::atomic<int> accepted = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        if (verifier->verify(token, kNow + seconds(i)).ok()) ++accepted;
        (void)verifier->jwks(kNow + seconds(i));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(accepted, 200);
}

}  // namespace
}  // namespace tideline::crypto
