#include "kafka/brokers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crypto/tests/temporary_folder.hpp"

namespace tideline::kafka {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

class BrokersTest : public ::testing::Test {
 protected:
  core::Result<Brokers> read(const std::string& text) {
    return Brokers::secured("kafka:9093", folder_.write("kafka.properties", text));
  }
  core::Error refusal_of(const std::string& text) {
    auto refused = read(text);
    EXPECT_FALSE(refused.ok()) << text;
    return refused.error();
  }

  crypto::TemporaryFolder folder_;
};

TEST_F(BrokersTest, HaveTheSettingsOfAFile) {
  const auto brokers = read(
      "# as an operator wrote them\n\nsecurity.protocol=SASL_PLAINTEXT\n"
      "sasl.mechanism=SCRAM-SHA-512\nsasl.username=feed\nsasl.password=a=b # c\n");
  ASSERT_TRUE(brokers.ok()) << brokers.error().message;
  EXPECT_EQ(brokers->addresses, "kafka:9093");
  EXPECT_THAT(brokers->security,
              ElementsAre(Pair("security.protocol", "SASL_PLAINTEXT"),
                          Pair("sasl.mechanism", "SCRAM-SHA-512"), Pair("sasl.username", "feed"),
                          Pair("sasl.password", "a=b # c")));
}

TEST_F(BrokersTest, RefuseWhatLibrdkafkaWould) {
  EXPECT_THAT(refusal_of("security.protocol=TLS\n").message, HasSubstr("security.protocol"));
  EXPECT_THAT(refusal_of("security.protocol=SSL\nssl.no.such.name=1\n").message,
              HasSubstr("ssl.no.such.name"));
  EXPECT_THAT(refusal_of("security.protocol=SSL\nssl.ca.location=/no/such/ca.pem\n").message,
              HasSubstr("ca"));
  EXPECT_THAT(refusal_of("security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n").message,
              HasSubstr("sasl"));
}

// Such as acks: what this product promises rests on the others.
TEST_F(BrokersTest, TakeNoSettingThatIsNotAboutSecurity) {
  EXPECT_THAT(refusal_of("acks=0\n").message, HasSubstr("acks"));
  EXPECT_THAT(refusal_of("bootstrap.servers=elsewhere:9092\n").message, HasSubstr("bootstrap"));
}

TEST_F(BrokersTest, DoNotRepeatAPassword) {
  for (const char* line : {"password=tell nobody\n", "sasl.password tell nobody\n"}) {
    EXPECT_THAT(refusal_of(line).message, Not(HasSubstr("tell nobody")));
  }
}

TEST_F(BrokersTest, SayWhetherTheyAreInClear) {
  EXPECT_THAT(refusal_of("sasl.username=feed\nsasl.password=x\n").message,
              HasSubstr("security.protocol"));
  EXPECT_TRUE(read("security.protocol=PLAINTEXT\n").ok());
}

TEST_F(BrokersTest, WantTheFile) {
  const auto none = Brokers::secured("kafka:9093", folder_.path() / "none");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, core::ErrorCode::NotFound);
}

}  // namespace
}  // namespace tideline::kafka
