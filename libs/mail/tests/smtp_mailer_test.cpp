#include "mail/smtp_mailer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tideline::mail {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> headers(const Mail& mail) {
  return headers_of(mail, "campus@tideline.example", *core::parse_iso8601("2026-05-01T12:00:00Z"),
                    "0123");
}

TEST(SmtpMailer, WritesTheHeadersOfAMail) {
  EXPECT_THAT(
      headers({"ada@campus.example", "Hi", "text"}),
      ElementsAre("Date: Fri, 01 May 2026 12:00:00 +0000", "From: <campus@tideline.example>",
                  "To: <ada@campus.example>", "Message-ID: <0123@tideline.example>",
                  "Subject: =?UTF-8?Q?=48=69?=", "Auto-Submitted: auto-generated"));
}

// A character stays whole, a word below 75 characters, and no line break of a subject is one of a
// header.
TEST(SmtpMailer, EncodesSubjects) {
  EXPECT_THAT(
      headers({"a@b.example", "验证码验证码验证码", ""}),
      Contains("Subject: =?UTF-8?Q?=E9=AA=8C=E8=AF=81=E7=A0=81=E9=AA=8C=E8=AF=81=E7=A0=81?=\r\n"
               " =?UTF-8?Q?=E9=AA=8C=E8=AF=81=E7=A0=81?="));
  EXPECT_THAT(headers({"a@b.example", "a\r\nBcc: x", ""}),
              Contains("Subject: =?UTF-8?Q?=61=0D=0A=42=63=63=3A=20=78?="));
}

TEST(SmtpMailer, SaysWhenThereIsNoServer) {
  core::SystemClock clock;
  core::SystemRandom random;
  SmtpMailer mailer({.url = "smtp://127.0.0.1:1", .from = "campus@tideline.example"}, clock,
                    random);
  const auto sent = mailer.send({"ada@campus.example", "Hi", "text"});
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.error().code, core::ErrorCode::Unavailable);
  EXPECT_TRUE(sent.error().retryable);
}

}  // namespace
}  // namespace tideline::mail
