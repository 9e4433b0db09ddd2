#include "http/messages/representation.hpp"

#include <gtest/gtest.h>

#include "http/messages/entity_tag.hpp"
#include "http/routing/event_stream.hpp"

namespace tideline::http {
namespace {

Request asking(Method method, const Parameters& headers = {}) {
  Request request;
  request.method = method;
  request.path = "/v1/things/1";
  for (const auto& [name, value] : headers) request.headers.add(name, value);
  return request;
}

Response thing(const std::string& body, int version = 7) {
  return Response::text(200, "application/json", body)
      .header("ETag", entity_tag(core::StreamVersion(static_cast<std::uint64_t>(version))))
      .header("Tideline-Position", "p");
}

std::string tag_of(const Response& response) {
  return std::string(response.headers.find("ETag").value_or("none"));
}

const std::string kLarge = "{\"text\":\"" + std::string(5000, 'x') + "\"}";

TEST(EntityTags, AreReadStrictly) {
  const auto tags = parse_entity_tags(" \"a\",W/\"b,c\" , \"\"");
  ASSERT_TRUE(tags);
  ASSERT_EQ(tags->size(), 3);
  EXPECT_EQ((*tags)[1].opaque, "b,c");
  EXPECT_TRUE((*tags)[1].weak);
  EXPECT_FALSE((*tags)[0].weak);
  for (const char* malformed : {"", "*", "a", "\"a", "\"a\" \"b\"", "\"a\",", "w/\"a\"", "\"a b\"",
                                "\"\x7f\"", "W/ \"a\""}) {
    EXPECT_FALSE(parse_entity_tags(malformed)) << malformed;
  }
}

TEST(EntityTags, NameAVersion) {
  const auto version = [](std::string_view opaque, bool weak = false) {
    return version_of({opaque, weak}).value_or(core::StreamVersion()).value();
  };
  EXPECT_EQ(version("7"), 7);
  EXPECT_EQ(version("7.abc"), 7);
  EXPECT_EQ(version("7.abc.gz"), 7);
  EXPECT_EQ(version("7", true), 0);
  for (const char* other : {"", ".7", "07", "-7", "7a", "x.7", "99999999999999999999"}) {
    EXPECT_EQ(version(other), 0) << other;
  }
}

TEST(Representation, TheTagOfAReadFollowsVersionAndBody) {
  const auto tag = [](const std::string& body, int version) {
    return tag_of(represent(asking(Method::Get), thing(body, version)));
  };
  EXPECT_EQ(tag("{}", 7), tag("{}", 7));
  EXPECT_NE(tag("{}", 7), tag("{}", 8));
  EXPECT_NE(tag("{}", 7), tag("[]", 7)) << "another stream may show in the same answer";
  EXPECT_TRUE(tag("{}", 7).starts_with("\"7.")) << tag("{}", 7);
}

TEST(Representation, WhatTheClientHasIsNotSentAgain) {
  const std::string tag = tag_of(represent(asking(Method::Get), thing("{}")));
  for (const std::string& known : {tag, "W/" + tag, "\"a\", " + tag, std::string("*")}) {
    const Response response =
        represent(asking(Method::Get, {{"If-None-Match", known}}), thing("{}"));
    EXPECT_EQ(response.status, 304) << known;
    EXPECT_EQ(response.body, "");
    EXPECT_EQ(tag_of(response), tag);
    EXPECT_EQ(response.headers.find("Tideline-Position"), "p");
    EXPECT_FALSE(response.headers.find("Content-Type"));
  }
  for (const std::string& other : {std::string("\"7\""), std::string("\"8\""), std::string("7"),
                                   tag.substr(0, tag.size() - 2) + "\""}) {
    EXPECT_EQ(represent(asking(Method::Get, {{"If-None-Match", other}}), thing("{}")).status, 200)
        << other;
  }
  EXPECT_EQ(represent(asking(Method::Get, {{"If-None-Match", tag}}), thing("[]")).status, 200);
  EXPECT_EQ(represent(asking(Method::Head, {{"If-None-Match", tag}}), thing("{}")).status, 304);
}

TEST(Representation, ATagThatIsNoVersionStandsForTheBodyAsItIs) {
  const auto image = Response::text(200, "image/png", "bytes").header("ETag", "\"a1b2\"");
  EXPECT_EQ(tag_of(represent(asking(Method::Get), image)), "\"a1b2\"");
  const Response known =
      represent(asking(Method::Get, {{"If-None-Match", "\"x\", \"a1b2\""}}), image);
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(tag_of(known), "\"a1b2\"");
  const Response other = represent(asking(Method::Get, {{"If-None-Match", "\"a1b3\""}}), image);
  EXPECT_EQ(other.status, 200);
  const auto weak = Response::text(200, "image/png", "bytes").header("ETag", "W/\"a1b2\"");
  EXPECT_EQ(tag_of(represent(asking(Method::Get), weak)), "W/\"a1b2\"");
}

TEST(Representation, IfMatchHoldsForReadsToo) {
  const auto status = [](const char* condition) {
    return represent(asking(Method::Get, {{"If-Match", condition}}), thing("{}")).status;
  };
  EXPECT_EQ(status("\"7\""), 200);
  EXPECT_EQ(status("\"6\", \"7.whatever.gz\""), 200);
  EXPECT_EQ(status("*"), 200);
  EXPECT_EQ(status("\"8\""), 412);
  EXPECT_EQ(status("W/\"7\""), 412);
  EXPECT_EQ(status("7"), 412);
  const Request of_no_version = asking(Method::Get, {{"If-Match", "\"7\""}});
  EXPECT_EQ(represent(of_no_version, Response::text(200, "text/plain", "x")).status, 412);
}

TEST(Representation, LargeAnswersAreCompressedForWhoTakesIt) {
  const Request takes = asking(Method::Get, {{"Accept-Encoding", "gzip"}});
  const Response packed = represent(takes, thing(kLarge));
  EXPECT_EQ(packed.headers.find("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.headers.find("Vary"), "Accept-Encoding");
  EXPECT_LT(packed.body.size(), 200);
  const Response plain = represent(asking(Method::Get), thing(kLarge));
  EXPECT_EQ(plain.body, kLarge);
  EXPECT_FALSE(plain.headers.find("Content-Encoding"));
  EXPECT_EQ(plain.headers.find("Vary"), "Accept-Encoding") << "caches must keep both apart";
  EXPECT_NE(tag_of(plain), tag_of(packed)) << "a strong tag names bytes";
  for (const Response& held : {plain, packed}) {
    Request again = takes;
    again.headers.set("If-None-Match", tag_of(held));
    const Response response = represent(again, thing(kLarge));
    EXPECT_EQ(response.status, 304);
    EXPECT_EQ(tag_of(response), tag_of(held));
    EXPECT_EQ(response.headers.find("Vary"), "Accept-Encoding");
  }
}

TEST(Representation, WhatDoesNotGainStaysAsItIs) {
  const Request takes = asking(Method::Get, {{"Accept-Encoding", "gzip"}});
  const auto coding = [&](const Response& response) {
    return represent(takes, response).headers.find("Content-Encoding").has_value();
  };
  EXPECT_TRUE(coding(Response::text(200, "text/plain", std::string(kCompressedBytesMin, 'x'))));
  EXPECT_FALSE(
      coding(Response::text(200, "text/plain", std::string(kCompressedBytesMin - 1, 'x'))));
  EXPECT_FALSE(coding(Response::text(200, "image/png", kLarge)));
  EXPECT_FALSE(coding(Response::text(404, "application/problem+json", kLarge)));
}

// BREACH: a secret beside words of the client's choice shows in the length.
// Its body is still to come: there is nothing to digest, to compare or to compress.
TEST(Representation, AStreamStaysAsItIs) {
  const auto stream = std::make_shared<EventStream>();
  const auto stream_answer = [&] {
    return Response::event_stream(stream).header("ETag", entity_tag(core::StreamVersion(7)));
  };
  const std::string tag = tag_of(represent(asking(Method::Get), thing("", 7)));
  for (const Parameters& asked :
       {Parameters{}, Parameters{{"Accept-Encoding", "gzip"}}, Parameters{{"If-None-Match", "*"}},
        Parameters{{"If-None-Match", tag}}, Parameters{{"If-Match", "\"8\""}}}) {
    const Response answer = represent(asking(Method::Get, asked), stream_answer());
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.events, stream);
    EXPECT_EQ(tag_of(answer), "\"7\"");
    EXPECT_EQ(answer.headers.size(), stream_answer().headers.size());
  }
}

TEST(Representation, WhatACommandAnswersIsNeverCompressed) {
  for (const Method method : {Method::Post, Method::Put, Method::Patch, Method::Delete}) {
    const Request request = asking(method, {{"Accept-Encoding", "gzip"}, {"If-Match", "\"1\""}});
    const Response response = represent(request, thing(kLarge));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, kLarge);
    EXPECT_EQ(tag_of(response), "\"7\"");
    EXPECT_FALSE(response.headers.find("Vary"));
  }
}

}  // namespace
}  // namespace tideline::http
