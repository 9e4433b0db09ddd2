#include <gtest/gtest.h>

#include "demo/client.hpp"

namespace tideline::demo {
namespace {

TEST(Endpoint, SchemeSaysWhetherTlsIsSpokenAndWhichPortIsMeant) {
  const Endpoint plain = parse_endpoint("http://127.0.0.1:18080/");
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "18080");
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(parse_endpoint("http://gateway").port, "80");
  const Endpoint secure = parse_endpoint("https://tideline.example");
  EXPECT_EQ(secure.host, "tideline.example");
  EXPECT_EQ(secure.port, "443");
  EXPECT_TRUE(secure.tls);
  EXPECT_EQ(parse_endpoint("https://tideline.example:8443").port, "8443");
}

TEST(Endpoint, AnythingElseIsRefused) {
  for (const char* url : {"", "tideline.example", "ftp://tideline.example", "http://", "http://a:b",
                          "https://tideline.example/v1"}) {
    EXPECT_THROW(parse_endpoint(url), std::invalid_argument) << url;
  }
}

}  // namespace
}  // namespace tideline::demo
