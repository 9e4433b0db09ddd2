#include "http/messages/json.hpp"

#include <gtest/gtest.h>

#include <string>

#include "http/messages/cursor.hpp"

namespace tideline::http {
namespace {

int status_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? 200 : parsed.problem().status;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, RefusesWhatTwoParsersCouldReadDifferently) {
  const std::vector<std::string> refused{"",
                                         " ",
                                         "{",
                                         "{}{}",
                                         "[1,]",
                                         "{\"a\":1,}",
                                         "'a'",
                                         "nul",
                                         "01",
                                         "+1",
                                         ".5",
                                         "NaN",
                                         "1e999",
                                         "{\"a\":1,\"a\":2}",
                                         "{\"a\":{\"b\":1,\"b\":1}}",
                                         "\"\\u0000\"",
                                         "{\"\\u0000\":1}",
                                         std::string("{}\0", 3),
                                         "\"\xff\"",
                                         "\"\xc0\x80\"",
                                         "\"\xed\xa0\x80\"",
                                         "\"\\ud800\"",
                                         "\"\\udc00\\ud800\"",
                                         "\"a\nb\"",
                                         "\xef\xbb\xbf{}",
                                         "// c\n{}",
                                         nested(33),
                                         "{\"\u00e4\":1,\"a\u0308\":2}"};
  for (const std::string& text : refused) EXPECT_EQ(status_of(text), 400) << text;
}

TEST(ParseJson, ReadsWhatIsSound) {
  EXPECT_EQ(status_of(nested(32)), 200);
  const auto parsed = parse_json(R"( {"a":[1,-2,3.5,true,null,{"b":"\ud83d\ude00\n"}]} )");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->dump(), "{\"a\":[1,-2,3.5,true,null,{\"b\":\"\xf0\x9f\x98\x80\\n\"}]}");
}

TEST(ParseJson, SurvivesDepthAndSize) {
  EXPECT_EQ(status_of(nested(100000)), 400);
  EXPECT_EQ(status_of(std::string(2 * 1024 * 1024, ' ')), 413);
}

TEST(ParseJson, NormalisesTexts) {
  const auto parsed = parse_json("\"a\u0308\"");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->get<std::string>(), "\u00e4");
  EXPECT_EQ(count_code_points(parsed->get<std::string>()), 1);
}

TEST(ParseJson, RefusesHeapsOfCombiningMarksBeforeSortingThem) {
  std::string heap = "\"a";
  for (int i = 0; i < 200000; ++i) heap += i % 2 == 0 ? "\u0316" : "\u0300";
  heap += "\"";
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of(heap), 400);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
}

TEST(ReadJsonObject, AsksForTheMediaTypeAndAnObject) {
  Request request;
  request.body = "{}";
  EXPECT_EQ(read_json_object(request).problem().status, 415);
  request.headers.set("Content-Type", "text/json");
  EXPECT_EQ(read_json_object(request).problem().status, 415);
  request.headers.set("Content-Type", "Application/JSON ; charset=utf-8");
  EXPECT_TRUE(read_json_object(request).ok());
  request.body = "[]";
  EXPECT_EQ(read_json_object(request).problem().status, 422);
}

std::string pointers(const FieldReader& fields) {
  std::string text;
  for (const auto& violation : fields.violations()) text += violation.pointer + " ";
  return text;
}

TEST(FieldReader, ReadsEveryKind) {
  const Json body = Json::parse(R"({"t":"h\u00e4","n":-3,"b":true,"c":"public","a":["x","y"],
      "d":"18446744073709551615","z":null,"o":{"i":1},"l":[{"i":1},{"i":2}]})");
  FieldReader fields(body);
  EXPECT_EQ(fields.text("t", {2, 2}), "h\u00e4");
  EXPECT_EQ(fields.integer("n", -3, 3), -3);
  EXPECT_TRUE(fields.boolean("b"));
  EXPECT_EQ(fields.one_of("c", {"private", "public"}), "public");
  EXPECT_EQ(fields.text_array("a", 2, {1, 1}).size(), 2);
  EXPECT_EQ(fields.decimal("d"), UINT64_MAX);
  const auto null = fields.nullable_text("z", {1, 1});
  ASSERT_TRUE(null.has_value());
  EXPECT_FALSE(null->has_value());
  EXPECT_EQ(fields.nullable_text("missing", {1, 1}), std::nullopt);
  EXPECT_EQ(fields.optional_text("z", {1, 1}), std::nullopt);
  EXPECT_EQ(fields.optional_text_array("missing", 1, {1, 1}).size(), 0);
  EXPECT_EQ(fields.object("o").integer("i", 0, 9), 1);
  for (FieldReader& item : fields.objects("l", 2)) item.integer("i", 1, 2);
  EXPECT_EQ(pointers(fields), "");
  EXPECT_FALSE(fields.problem());
}

TEST(FieldReader, CollectsAllViolations) {
  const Json body = Json::parse(R"({"t":"abc","n":1.5,"big":9223372036854775808,"b":1,"c":"x",
      "a":["ok","too long"],"many":[1,2],"d":"01","z":null,"o":{"x":1},"l":[{},2],"u/~":1})");
  FieldReader fields(body);
  fields.text("t", {4, 9});
  fields.text("missing", {1, 1});
  fields.text("z", {1, 1});
  fields.integer("n", 0, 9);
  fields.integer("big", 0, INT64_MAX);
  fields.boolean("b");
  fields.one_of("c", {"a", "b"});
  fields.text_array("a", 2, {1, 4});
  fields.text_array("many", 1, {1, 4});
  fields.decimal("d");
  fields.object("o").optional_boolean("y");
  for (FieldReader& item : fields.objects("l", 2)) item.text("i", {1, 1});
  fields.violate("", "does not add up");
  EXPECT_EQ(pointers(fields),
            "/t /missing /z /n /big /b /c /a/1 /many /d /l/1 /l/0/i /l/1/i  /u~1~0 /o/x ");
  const auto problem = fields.problem();
  ASSERT_TRUE(problem);
  const Response response = to_response(*problem);
  EXPECT_EQ(response.status, 422);
  const Json shown = Json::parse(response.body);
  EXPECT_EQ(shown["type"], "urn:tideline:problem:invalid");
  EXPECT_EQ(shown["errors"].size(), 16);
  EXPECT_EQ(shown["errors"][0]["pointer"], "/t");
  EXPECT_EQ(shown["errors"][0]["detail"], "must have 4 to 9 characters");
}

TEST(FieldReader, TakesAnIntegerThatIsWrittenWithAFraction) {
  const Json body = Json::parse(R"({"n":3.0,"z":-0.0,"e":1e3,"least":-9223372036854775808.0,
      "most":9223372036854775808.0,"huge":1e300})");
  FieldReader fields(body);
  EXPECT_EQ(fields.integer("n", 0, 9), 3);
  EXPECT_EQ(fields.integer("z", 0, 9), 0);
  EXPECT_EQ(fields.integer("e", 0, 1000), 1000);
  EXPECT_EQ(fields.integer("least", INT64_MIN, INT64_MAX), INT64_MIN);
  fields.integer("most", INT64_MIN, INT64_MAX);
  fields.integer("huge", INT64_MIN, INT64_MAX);
  EXPECT_EQ(pointers(fields), "/most /huge ");
}

TEST(FieldReader, BoundsWhatItReports) {
  Json body = Json::object();
  for (int i = 0; i < 5000; ++i) body["unknown" + std::to_string(i)] = 1;
  EXPECT_EQ(FieldReader(body).violations().size(), 100);
}

TEST(Problem, ShowsWhatRfc9457Names) {
  const Response response = to_response(conflict("contact-limit-reached", "too many"));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.headers.find("Content-Type"), "application/problem+json");
  const Json shown = Json::parse(response.body);
  EXPECT_EQ(shown["type"], "urn:tideline:problem:contact-limit-reached");
  EXPECT_EQ(shown["status"], 409);
  EXPECT_EQ(shown["detail"], "too many");
  EXPECT_TRUE(shown.contains("title"));
}

TEST(Problem, HidesTheTextOfErrors) {
  const Response busy = to_response(from_error(core::unavailable("host=10.0.0.1")));
  EXPECT_EQ(busy.status, 503);
  EXPECT_TRUE(busy.headers.find("Retry-After"));
  EXPECT_EQ(busy.body.find("10.0.0.1"), std::string::npos);
  const Response gone = to_response(from_error({core::ErrorCode::Conflict, "key", false}));
  EXPECT_EQ(gone.status, 409);
  EXPECT_NE(gone.body.find("account-closed"), std::string::npos);
  const Response broken = to_response(from_error(core::internal_error("select secret")));
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.body.find("secret"), std::string::npos);
}

TEST(Response, ReplacesInvalidUtf8InsteadOfThrowing) {
  EXPECT_EQ(Response::json(200, Json("\xff")).body, "\"\xef\xbf\xbd\"");
}

Request with_query(Parameters query) {
  Request request;
  request.query_parameters = std::move(query);
  return request;
}

TEST(Cursor, ComesBackAsItWentOut) {
  const std::string cursor = encode_cursor("timeline", "123|\u00e4");
  EXPECT_EQ(*decode_cursor("timeline", cursor), "123|\u00e4");
  EXPECT_FALSE(decode_cursor("members", cursor).ok());
  EXPECT_FALSE(decode_cursor("time", cursor).ok());
  for (const char* garbage : {"", "!", "AAAA", "dGltZWxpbmU", "a"}) {
    const auto decoded = decode_cursor("timeline", garbage);
    ASSERT_FALSE(decoded.ok()) << garbage;
    EXPECT_EQ(decoded.problem().status, 400);
  }
  EXPECT_FALSE(decode_cursor("timeline", cursor + "=").ok());
  EXPECT_FALSE(decode_cursor("t", encode_cursor("t", std::string(513, 'a'))).ok());
  EXPECT_TRUE(decode_cursor("t", encode_cursor("t", std::string(512, 'a'))).ok());
  EXPECT_FALSE(decode_cursor("t", encode_cursor("t", "\xff")).ok());
}

// Places that are one character.
std::optional<char> parse_character(std::string_view text) {
  return text.size() == 1 ? std::optional(text[0]) : std::nullopt;
}

auto read_characters(const Request& request) { return read_page(request, "k", parse_character); }

TEST(ReadPage, ReadsTheQuery) {
  EXPECT_EQ(read_characters(Request())->limit, 20);
  const std::string cursor = encode_cursor("k", "p");
  const auto later = read_characters(with_query({{"after", cursor}, {"limit", "100"}}));
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(later->after, 'p');
  EXPECT_FALSE(later->before);
  EXPECT_EQ(later->limit, 100);
  const auto earlier = read_characters(with_query({{"before", cursor}}));
  ASSERT_TRUE(earlier.ok());
  EXPECT_EQ(earlier->before, 'p');
  EXPECT_FALSE(earlier->after);
  for (const char* limit : {"0", "101", "-1", "a", "", "1a", " 1", "99999999999"}) {
    EXPECT_FALSE(read_characters(with_query({{"limit", limit}})).ok()) << limit;
  }
  EXPECT_FALSE(read_characters(with_query({{"after", cursor}, {"before", cursor}})).ok());
  EXPECT_FALSE(read_characters(with_query({{"before", "x"}})).ok());
  for (const char* side : {"before", "after"}) {
    const auto foreign = read_characters(with_query({{side, encode_cursor("k", "place")}}));
    ASSERT_FALSE(foreign.ok()) << side;
    EXPECT_EQ(foreign.problem().status, 400);
  }
}

TEST(PageResponse, ShowsBothWays) {
  Page page;
  page.items = {1, 2};
  page.after = "p";
  const Json shown = Json::parse(page_response("k", page).body);
  EXPECT_EQ(shown["items"].size(), 2);
  EXPECT_TRUE(shown["before"].is_null());
  EXPECT_EQ(*decode_cursor("k", shown["after"].get<std::string>()), "p");
}

TEST(PageResponse, OfTextsIsThatOfTheirValues) {
  for (std::size_t count = 0; count < 4; ++count) {
    Page page;
    if (count > 1) page.before = "newer";
    if (count > 2) page.after = "older";
    PageText text("k", page.before, page.after);
    for (std::size_t i = 0; i < count; ++i) {
      page.items.push_back({{"number", i}, {"text", "a \"b\" \\"}});
      if (i > 0) text.items().push_back(',');
      text.items().append(page.items.back().dump());
    }
    const Response shown = std::move(text).response();
    const Response expected = page_response("k", page);
    EXPECT_EQ(Json::parse(shown.body), Json::parse(expected.body));
    EXPECT_EQ(shown.headers.find("Content-Type"), expected.headers.find("Content-Type"));
  }
}

}  // namespace
}  // namespace tideline::http
