// Messages to browsers: encrypted as the standard's example is, signed, and sent to nobody who is
// not public.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/encoding.hpp"
#include "push/public_address.hpp"
#include "push/push_message.hpp"
#include "push/push_sender.hpp"
#include "push/vapid.hpp"

namespace tideline::push {
namespace {

using Json = nlohmann::json;

// RFC 8291, section 5 and appendix A.
constexpr const char* kBrowserKey =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
constexpr const char* kBrowserSecret = "BTBZMqHH6r4Tts7J_aSIgg";
constexpr const char* kSenderKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0\n"
    "KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH\n"
    "Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kSenderPoint =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
constexpr const char* kSalt = "DGv6ra1nlYgDCS1FRnbzlw";
constexpr const char* kBody =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS"
    "6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qu"
    "lcy4a-fN";
constexpr const char* kEndpoint = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV";

core::Result<PushTarget> target_of(const std::string& endpoint, Reach reach = Reach::Public) {
  return read_target(endpoint, kBrowserKey, kBrowserSecret, reach);
}

class KeyFile {
 public:
  explicit KeyFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tideline-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(path()) << text;
  }
  ~KeyFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
  std::string path() const { return folder_ / "key.pem"; }

 private:
  std::filesystem::path folder_;
};

TEST(PushMessage, IsTheExampleOfTheStandard) {
  const auto target = target_of(kEndpoint);
  ASSERT_TRUE(target.ok()) << target.error().message;
  const auto key = crypto::P256PrivateKey::from_pem(kSenderKey);
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(core::to_base64url(key->public_key().uncompressed()), kSenderPoint);
  std::array<std::uint8_t, 16> salt{};
  std::ranges::copy(*core::from_base64url(kSalt), salt.begin());
  const auto body =
      encrypt_with(*target, "When I grow up, I want to be a watermelon", *key, salt, 0);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(core::to_base64url(core::as_bytes(*body)), kBody);
}

TEST(PushMessage, IsAnotherOneEachTimeAndOfOneLength) {
  const auto target = target_of(kEndpoint);
  ASSERT_TRUE(target.ok());
  const auto one = encrypt(*target, "1"), other = encrypt(*target, "1");
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(*one, *other);
  const auto longest = encrypt(*target, std::string(kMessageLengthMax, 'x'));
  ASSERT_TRUE(longest.ok());
  EXPECT_EQ(one->size(), longest->size());
  EXPECT_FALSE(encrypt(*target, std::string(kMessageLengthMax + 1, 'x')).ok());
}

TEST(PushTarget, IsReadAndStored) {
  const auto target = target_of(kEndpoint);
  ASSERT_TRUE(target.ok());
  const auto again = PushTarget::of_text(target->to_text());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->endpoint, kEndpoint);
  EXPECT_EQ(again->key, target->key);
  EXPECT_EQ(again->secret, target->secret);
  for (const std::string damaged : {"", "[]", "{}", R"({"endpoint":3})"}) {
    EXPECT_FALSE(PushTarget::of_text(damaged).ok()) << damaged;
  }
  EXPECT_TRUE(
      read_target(kEndpoint, std::string(kBrowserKey) + "=", kBrowserSecret, Reach::Public).ok());
  std::string off_the_curve = kBrowserKey;
  off_the_curve[40] = off_the_curve[40] == 'A' ? 'B' : 'A';
  for (const std::string& key : {off_the_curve, std::string(), std::string(kBrowserSecret)}) {
    EXPECT_FALSE(read_target(kEndpoint, key, kBrowserSecret, Reach::Public).ok()) << key;
  }
  for (const std::string secret : {"", "AAAA", kBrowserKey}) {
    EXPECT_FALSE(read_target(kEndpoint, kBrowserKey, secret, Reach::Public).ok()) << secret;
  }
}

TEST(PushTarget, IsAtHttpsAlone) {
  for (const std::string endpoint :
       {"", "push.example.net", "http://push.example.net/", "https://push.example.net:8443/",
        "https://me@push.example.net/", "https://push.example.net/#x", "file:///etc/passwd",
        "https://push.example.net/a b", "gopher://push.example.net/", "https://"}) {
    EXPECT_FALSE(target_of(endpoint).ok()) << endpoint;
  }
  EXPECT_FALSE(target_of("https://push.example.net/" + std::string(kEndpointLengthMax, 'x')).ok());
  EXPECT_TRUE(target_of("http://127.0.0.1:8080/x", Reach::Anybody).ok());
  EXPECT_EQ(*origin_of("https://push.example.net:443/a?b=c", Reach::Public),
            "https://push.example.net");
  EXPECT_EQ(*origin_of("http://127.0.0.1:8080/x", Reach::Anybody), "http://127.0.0.1:8080");
}

TEST(Vapid, IsATokenUnderTheKeyThatItNames) {
  const KeyFile file(kSenderKey);
  const auto vapid = Vapid::load(file.path(), "mailto:campus@example.edu");
  ASSERT_TRUE(vapid.ok()) << vapid.error().message;
  EXPECT_EQ(vapid->public_key(), kSenderPoint);
  const core::Timestamp now{std::chrono::seconds(1'800'000'000)};
  const auto made = vapid->authorization("https://push.example.net", now);
  ASSERT_TRUE(made.ok());
  const std::string begin = "vapid t=", middle = std::string(", k=") + kSenderPoint;
  ASSERT_TRUE(made->starts_with(begin) && made->ends_with(middle)) << *made;
  const std::string token = made->substr(begin.size(), made->size() - begin.size() - middle.size());
  const auto first = token.find('.'), second = token.rfind('.');
  const auto decoded = [](const std::string& part) {
    const auto bytes = core::from_base64url(part).value();
    return Json::parse(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(decoded(token.substr(0, first)), (Json{{"typ", "JWT"}, {"alg", "ES256"}}));
  EXPECT_EQ(decoded(token.substr(first + 1, second - first - 1)),
            (Json{{"aud", "https://push.example.net"},
                  {"exp", 1'800'000'000 + 12 * 3600},
                  {"sub", "mailto:campus@example.edu"}}));
  crypto::P256Signature signature{};
  std::ranges::copy(*core::from_base64url(token.substr(second + 1)), signature.begin());
  const auto key = crypto::P256PublicKey::from_uncompressed(*core::from_base64url(kSenderPoint));
  ASSERT_TRUE(key.ok());
  EXPECT_TRUE(key->verify(token.substr(0, second), signature));
}

TEST(Vapid, WantsAKeyAndAContact) {
  const KeyFile file(kSenderKey), empty("");
  EXPECT_FALSE(Vapid::load(file.path(), "").ok());
  EXPECT_FALSE(Vapid::load(file.path(), "campus@example.edu").ok());
  EXPECT_FALSE(Vapid::load(empty.path(), "mailto:campus@example.edu").ok());
  EXPECT_FALSE(Vapid::load("/nowhere", "mailto:campus@example.edu").ok());
}

bool is_public(const std::string& text) {
  sockaddr_storage storage{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
    v6.sin6_family = AF_INET6;
  }
  return is_public_address(reinterpret_cast<const sockaddr&>(storage));
}

TEST(PublicAddress, IsOfTheOpenInternetAlone) {
  for (const std::string address :
       {"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
        "169.253.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1",
        "2001:4860::8888"}) {
    EXPECT_TRUE(is_public(address)) << address;
  }
  for (const std::string address : {"0.0.0.0",
                                    "10.1.2.3",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "127.0.0.1",
                                    "127.255.255.255",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.8",
                                    "192.0.2.1",
                                    "192.168.0.1",
                                    "198.18.0.1",
                                    "198.19.255.255",
                                    "198.51.100.1",
                                    "203.0.113.1",
                                    "224.0.0.1",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "::ffff:10.0.0.1",
                                    "::ffff:8.8.8.8",
                                    "64:ff9b::a00:1",
                                    "fe80::1",
                                    "fc00::1",
                                    "fd12::1",
                                    "ff02::1",
                                    "2001:db8::1",
                                    "2001::1",
                                    "2002:a00:1::1",
                                    "3fff::1"}) {
    EXPECT_FALSE(is_public(address)) << address;
  }
}

TEST(PushSender, ConnectsToNoAddressOfThisMachine) {
  const PushSender sender({});
  const std::vector<PushRequest> batch{{"https://127.0.0.1/x", "vapid", "body"},
                                       {"https://localhost/x", "vapid", "body"},
                                       {"https://[::1]/x", "vapid", "body"},
                                       {"http://127.0.0.1/x", "vapid", "body"}};
  const auto answers = sender.send(batch);
  ASSERT_EQ(answers.size(), batch.size());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answers[i].outcome, PushOutcome::Refused) << batch[i].endpoint;
    EXPECT_EQ(answers[i].why, "its address is not public") << batch[i].endpoint;
  }
  EXPECT_NE(answers[3].outcome, PushOutcome::Taken);
}

}  // namespace
}  // namespace tideline::push
