// Advice, icons and documents as clients meet them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/testing/appends.hpp"
#include "http/messages/body_source.hpp"
#include "projects/domain/project_count.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"
#include "projects/stream_keys.hpp"
#include "projects_app.hpp"
#include "support/pictures.hpp"
#include "uploads/upload_http.hpp"

namespace tideline::projects {
namespace {

using http::Method;
using http::Response;
using Json = nlohmann::json;
using ::testing::HasSubstr;

class Routes : public ::testing::Test {
 protected:
  Routes() {
    for (const char* user_id : {"ada", "bob", "cleo"}) app.enter_person(user_id);
    project = app.create("ada");
    path = "/v1/projects/" + project;
  }

  std::string advise(const std::string& who, const std::string& text) {
    app.clock.advance(std::chrono::milliseconds(1));
    const Response given = app.call(who, Method::Post, path + "/advice", {{"text", text}});
    EXPECT_EQ(given.status, 201) << given.body;
    return Json::parse(given.body).at("id").get<std::string>();
  }
  int adopt(const std::string& who, const std::string& advice) {
    return app.call(who, Method::Put, path + "/advice/" + advice + "/adoption").status;
  }
  int withdraw(const std::string& who, const std::string& advice) {
    return app.call(who, Method::Delete, path + "/advice/" + advice).status;
  }

  ProjectsApp app;
  std::string project;
  std::string path;
};

TEST_F(Routes, AnAuthorSaysWhomTheProjectLooksForAndWithdrawsIt) {
  EXPECT_EQ(app.get("bob", path).at("looking_for"), nullptr);
  const auto edit = [&](const Json& looking_for) {
    return app.call("ada", Method::Patch, path, {{"looking_for", looking_for}});
  };
  const Response edited = edit("Somebody who rows");
  EXPECT_EQ(edited.status, 200);
  EXPECT_EQ(Json::parse(edited.body).at("looking_for"), "Somebody who rows");
  EXPECT_EQ(app.get("bob", path).at("looking_for"), "Somebody who rows");
  EXPECT_EQ(edit(std::string(201, 'x')).status, 422);
  EXPECT_EQ(edit(nullptr).status, 200);
  EXPECT_EQ(app.get("bob", path).at("looking_for"), nullptr);
}

TEST_F(Routes, NothingCrossesABlockInEitherDirection) {
  const std::string bobs = app.create("bob");
  const std::string cleos = app.create("cleo");
  app.call("ada", Method::Post, path + "/voting");
  app.call("bob", Method::Post, "/v1/projects/" + bobs + "/voting");
  for (const char* who : {"ada", "bob"}) {
    app.call(who, Method::Post, "/v1/projects/" + cleos + "/comments", {{"text", who}});
    app.call(who, Method::Post, "/v1/projects/" + cleos + "/advice", {{"text", who}});
  }
  app.call("ada", Method::Patch, path, {{"labels", {"sea"}}});
  EXPECT_EQ(app.get("bob", "/v1/voting-board").at("items").size(), 2U);
  app.block("ada", "bob");
  const Json text{{"text", "hi"}};
  for (const auto& [who, whose, id] :
       {std::tuple{"bob", "ada", project}, std::tuple{"ada", "bob", bobs}}) {
    const std::string one = "/v1/projects/" + id;
    for (const char* part : {"", "/comments", "/advice", "/documents", "/vote", "/visits"}) {
      EXPECT_EQ(app.call(who, Method::Get, one + part).status, 404) << who << part;
    }
    EXPECT_EQ(app.call(who, Method::Post, one + "/comments", text).status, 404) << who;
    EXPECT_EQ(app.call(who, Method::Post, one + "/advice", text).status, 404) << who;
    EXPECT_EQ(app.call(who, Method::Put, one + "/vote").status, 404) << who;
    EXPECT_EQ(app.call(who, Method::Post, one + "/visits").status, 404) << who;
    const Json by_author = app.get(who, "/v1/projects?author=" + std::string(whose));
    EXPECT_EQ(by_author.at("items").size(), 0U) << who;
    EXPECT_EQ(app.get(who, "/v1/voting-board").at("items").size(), 1U) << who;
    for (const char* part : {"/comments", "/advice"}) {
      const Json items = app.get(who, "/v1/projects/" + cleos + part).at("items");
      ASSERT_EQ(items.size(), 1U) << who << part;
      EXPECT_EQ(items[0].at("text"), who) << part;
    }
  }
  EXPECT_EQ(app.get("bob", "/v1/projects?label=sea").at("items").size(), 0U);
  EXPECT_EQ(app.get("cleo", "/v1/projects?label=sea").at("items").size(), 1U);
  EXPECT_EQ(app.get("ada", path).at("id"), project);
}

TEST_F(Routes, APersonPublishesOnlySoManyProjects) {
  const core::AccountId bob = app.account_ids.of("bob");
  eventsourcing::Append counted;
  counted.time = app.clock.now();
  counted.streams.push_back({keys::project_count(bob),
                             core::StreamVersion(0),
                             {eventsourcing::EventCodec<ProjectCount>{}.encode(
                                 ProjectCountChanged{bob, kProjectsMax - 1})}});
  eventsourcing::testing::expect_appended(app.store.append(std::move(counted)));
  app.create("bob");
  const Response refused = app.call("bob", Method::Post, "/v1/projects", {{"name", "Tides"}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body, HasSubstr("project-limit-reached"));
  app.create("ada");
}

TEST_F(Routes, AdviceIsGivenReadAndAdopted) {
  const Response given =
      app.call("bob", Method::Post, path + "/advice", {{"text", "Show low tide too"}});
  EXPECT_EQ(given.status, 201);
  const Json advice = Json::parse(given.body);
  EXPECT_EQ(app.get("cleo", path + "/advice"),
            (Json{{"items", Json::array({advice})}, {"before", nullptr}, {"after", nullptr}}));
  EXPECT_EQ(advice.at("author").at("real_name"), "Name of bob");
  EXPECT_EQ(advice.at("adopted"), false);

  const std::string id = advice.at("id").get<std::string>();
  EXPECT_EQ(adopt("bob", id), 403);
  EXPECT_EQ(adopt("ada", id), 200);
  EXPECT_EQ(adopt("ada", id), 200);
  const Json adopted = app.get("bob", path + "/advice").at("items").at(0);
  EXPECT_EQ(adopted.at("adopted"), true);
  EXPECT_EQ(adopted.at("adopted_at"), core::format_iso8601(app.clock.now()));
  EXPECT_EQ(withdraw("bob", id), 409);
  EXPECT_EQ(app.get("bob", path).at("advice"), (Json{{"count", 1}, {"adopted", 1}}));
}

TEST_F(Routes, AdviceIsWithdrawnByWhoGaveIt) {
  const std::string id = advise("bob", "Never mind");
  EXPECT_EQ(withdraw("ada", id), 403);
  EXPECT_EQ(withdraw("bob", id), 204);
  EXPECT_EQ(withdraw("bob", id), 204);
  EXPECT_EQ(adopt("ada", id), 404);
  EXPECT_EQ(app.get("ada", path + "/advice").at("items"), Json::array());
  EXPECT_EQ(app.get("ada", path).at("advice"), (Json{{"count", 0}, {"adopted", 0}}));
}

TEST_F(Routes, AdviceIsRefusedWhereItDoesNotBelong) {
  const auto post = [&](const std::string& who, const std::string& where, const Json& body) {
    return app.call(who, Method::Post, where, body);
  };
  EXPECT_THAT(post("ada", path + "/advice", {{"text", "To myself"}}).body,
              HasSubstr("advice-on-ones-own"));
  EXPECT_EQ(post("bob", path + "/advice", {{"text", ""}}).status, 422);
  EXPECT_EQ(post("bob", path + "/advice", {{"text", std::string(2001, 'x')}}).status, 422);
  const std::string nowhere = "/v1/projects/" + std::string(26, '0');
  EXPECT_EQ(post("bob", nowhere + "/advice", {{"text", "?"}}).status, 404);
  EXPECT_EQ(app.call("bob", Method::Get, nowhere + "/advice").status, 404);
  const std::string id = advise("bob", "Hint");
  const std::string elsewhere = "/v1/projects/" + app.create("cleo") + "/advice/" + id;
  EXPECT_EQ(app.call("cleo", Method::Put, elsewhere + "/adoption").status, 404);
  EXPECT_EQ(app.call("bob", Method::Delete, path + "/advice/nonsense").status, 404);
}

TEST_F(Routes, AdvicePagesBothWaysAtTwentyAPage) {
  std::vector<std::string> ids;
  for (int i = 0; i < 45; ++i) ids.push_back(advise("bob", "Hint " + std::to_string(i)));
  std::vector<std::string> read;
  Json page = app.get("ada", path + "/advice");
  EXPECT_EQ(page.at("items").size(), 20U);
  EXPECT_EQ(page.at("before"), nullptr);
  const Json second = app.get("ada", path + "/advice?after=" + page.at("after").get<std::string>());
  for (;;) {
    for (const auto& item : page.at("items")) read.push_back(item.at("id").get<std::string>());
    if (page.at("after").is_null()) break;
    page = app.get("ada", path + "/advice?after=" + page.at("after").get<std::string>());
  }
  EXPECT_EQ(read, ids);
  const Json back = app.get("ada", path + "/advice?before=" + page.at("before").get<std::string>());
  EXPECT_EQ(back.at("items"), second.at("items"));
  EXPECT_EQ(app.call("ada", Method::Get, path + "/advice?after=bm9uc2Vuc2U").status, 400);
}

TEST_F(Routes, AnIconIsStoredUnderItsHashAndReadByEverybody) {
  EXPECT_EQ(app.get("bob", path).at("icon"), nullptr);
  const std::string sent = test_support::picture(300, 16);
  const Response put = app.call("ada", Method::Put, path + "/icon", sent);
  EXPECT_EQ(put.status, 200) << put.body;
  const std::string icon = app.get("bob", path).at("icon").get<std::string>();
  EXPECT_EQ(Json::parse(put.body).at("icon"), icon);
  const Json preview = app.get("bob", path).at("icon_preview");
  EXPECT_EQ(preview, Json::parse(put.body).at("icon_preview"));
  EXPECT_EQ(preview.at("width"), 300);

  const Response read = app.call("bob", Method::Get, icon);
  EXPECT_EQ(read.status, 200);
  const std::string hash = uploads::hash_of(read.body);
  EXPECT_EQ(icon, path + "/icon/" + hash);
  EXPECT_EQ(read.headers.find("Content-Type"), "image/webp");
  EXPECT_EQ(read.headers.find("ETag"), "\"" + hash + "\"");
  const Response small = app.call("bob", Method::Get, icon + "?size=small");
  EXPECT_EQ(uploads::read_image_header(small.body)->width, 160U);
  EXPECT_THAT(std::string(*read.headers.find("Cache-Control")), HasSubstr("immutable"));

  // As an <img> loads it.
  const std::string link = app.get("bob", path).at("icon_link").get<std::string>();
  EXPECT_EQ(link, app.links->to(icon, app.account_ids.of("bob")));
  const Response loaded = app.call("", Method::Get, link);
  EXPECT_EQ(uploads::hash_of(loaded.body), hash);
  EXPECT_EQ(app.call("", Method::Get, link + "&size=small").body, small.body);
  EXPECT_TRUE(loaded.headers.find("Cache-Control")->starts_with("private, max-age="));
  EXPECT_EQ(app.call("", Method::Get, icon).status, 401);

  EXPECT_EQ(app.call("ada", Method::Delete, path + "/icon").status, 204);
  EXPECT_EQ(app.get("bob", path).at("icon"), nullptr);
  EXPECT_EQ(app.call("bob", Method::Get, icon).status, 404);
}

TEST_F(Routes, AnIconIsAnImageOfItsAuthor) {
  EXPECT_EQ(app.call("bob", Method::Put, path + "/icon", test_support::picture(1, 1)).status, 403);
  EXPECT_EQ(app.call("ada", Method::Put, path + "/icon", "<svg/>").status, 415);
  EXPECT_EQ(app.call("ada", Method::Put, path + "/icon", test_support::gif(20'000, 1)).status, 422);
  const std::string large = test_support::picture(1, 1) + std::string(uploads::kImageBytesMax, 'x');
  EXPECT_EQ(app.call("ada", Method::Put, path + "/icon", large).status, 413);
  const auto kept = app.database.read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT count(*) FROM upload").at(0).integer(0);
  });
  EXPECT_EQ(*kept, 0) << "what is refused is not stored";
  EXPECT_EQ(app.get("ada", path).at("icon"), nullptr);
}

TEST_F(Routes, AnEditLeavesTheIconAndTheIconLeavesTheCard) {
  app.call("ada", Method::Put, path + "/icon", test_support::picture(2, 2));
  app.call("ada", Method::Patch, path, {{"name", "Waves"}, {"labels", {"sea"}}});
  app.call("ada", Method::Put, path + "/icon", test_support::picture(3, 3));
  const Json shown = app.get("bob", path);
  EXPECT_EQ(shown.at("name"), "Waves");
  EXPECT_EQ(shown.at("labels"), Json::array({"sea"}));
  EXPECT_EQ(shown.at("icon_preview").at("width"), 3);
  EXPECT_EQ(app.get("bob", "/v1/projects?label=sea").at("items").size(), 1U);
}

// As an earlier version has left them.
TEST_F(Routes, LabelsInClearAreFoundAndShown) {
  app.call("ada", Method::Patch, path, {{"labels", {"sea"}}});
  app.execute("UPDATE project SET labels = '0.{\"names\":[\"sea\"]}'", {});
  app.execute("UPDATE project_by_label SET label_key = 'sea'", {});
  EXPECT_EQ(app.get("bob", path).at("labels"), Json::array({"sea"}));
  EXPECT_EQ(app.get("bob", "/v1/projects?label=sea").at("items").size(), 1U);
}

TEST_F(Routes, ALabelPagesOverOlderAndNewerEvents) {
  std::vector<std::string> paths{path};
  for (int i = 0; i < 4; ++i) {
    app.clock.advance(std::chrono::milliseconds(1));
    paths.push_back("/v1/projects/" + app.create("ada"));
  }
  for (const std::string& each : paths) {
    app.call("ada", Method::Patch, each, {{"labels", {"sea"}}});
  }
  app.execute("UPDATE project_by_label SET label_key = 'sea' WHERE project_id = $1",
              {paths[2].substr(paths[2].rfind('/') + 1)});
  std::vector<std::string> walked;
  std::string place;
  Json last;
  do {
    last = app.get("bob", "/v1/projects?label=sea&limit=2" + place);
    for (const Json& item : last.at("items")) walked.insert(walked.begin(), item.at("id"));
    place = last.at("after").is_null() ? "" : "&after=" + last.at("after").get<std::string>();
  } while (!place.empty());
  ASSERT_EQ(walked.size(), paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(paths[i].ends_with(walked[i])) << "newest first, whichever key it is found by";
  }
  // And back.
  const Json middle = app.get(
      "bob", "/v1/projects?label=sea&limit=2&before=" + last.at("before").get<std::string>());
  ASSERT_EQ(middle.at("items").size(), 2U);
  EXPECT_EQ(middle.at("items")[0].at("id"), walked[2]);
  EXPECT_EQ(middle.at("items")[1].at("id"), walked[1]);
  EXPECT_FALSE(middle.at("before").is_null());
  EXPECT_FALSE(middle.at("after").is_null());
}

TEST_F(Routes, TheLabelsOfAClosedAccountAreGone) {
  app.call("ada", Method::Patch, path, {{"labels", {"sea"}}});
  app.execute("UPDATE person SET closed = true WHERE account_id = $1::uuid",
              {app.account_ids.of("ada")});
  EXPECT_TRUE(app.cipher.destroy(app.account_ids.of("ada")).ok());
  EXPECT_EQ(app.get("bob", path).at("labels"), Json::array());
  EXPECT_TRUE(app.get("bob", "/v1/projects?label=sea").at("items").empty());
}

TEST_F(Routes, TheIconOfAClosedAccountIsGone) {
  app.call("ada", Method::Put, path + "/icon", test_support::picture(2, 2));
  const std::string icon = app.get("bob", path).at("icon").get<std::string>();
  app.execute("UPDATE person SET closed = true WHERE account_id = $1::uuid",
              {app.account_ids.of("ada")});
  EXPECT_EQ(app.call("bob", Method::Get, icon).status, 404);
}

TEST_F(Routes, DocumentsAreAddedReadAndRemoved) {
  const std::string text = "计划\n<script>alert(1)</script>\n";
  const Response added = app.call("ada", Method::Post, path + "/documents?title=计划书.txt", text);
  ASSERT_EQ(added.status, 201) << added.body;
  const Json document = Json::parse(added.body);
  EXPECT_EQ(document.at("title"), "计划书.txt");
  EXPECT_EQ(document.at("media_type"), "text/plain; charset=utf-8");
  EXPECT_EQ(document.at("bytes"), text.size());
  Json listed = app.get("bob", path + "/documents").at("items").at(0);
  const std::string link = listed.at("link").get<std::string>();
  EXPECT_NE(link, document.at("link")) << "each reader has another";
  listed["link"] = document.at("link");
  EXPECT_EQ(listed, document);
  EXPECT_EQ(app.get("bob", path).at("document_count"), 1);

  const std::string location = document.at("location").get<std::string>();
  EXPECT_EQ(added.headers.find("Location"), location);
  const Response read = app.call("bob", Method::Get, location);
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.body, text);
  EXPECT_EQ(read.headers.find("Content-Disposition"), "attachment");
  EXPECT_EQ(read.headers.find("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(app.call("", Method::Get, link).body, text);
  EXPECT_EQ(app.call("", Method::Get, location).status, 401);
  EXPECT_EQ(app.call("", Method::Get, link.substr(0, link.size() - 1)).status, 401);

  const std::string one = path + "/documents/" + document.at("id").get<std::string>();
  EXPECT_EQ(app.call("bob", Method::Delete, one).status, 403);
  EXPECT_EQ(app.call("ada", Method::Delete, one).status, 204);
  EXPECT_EQ(app.call("ada", Method::Delete, one).status, 204);
  EXPECT_EQ(app.call("bob", Method::Get, location).status, 404);
  EXPECT_EQ(app.get("bob", path + "/documents").at("items"), Json::array());
}

TEST_F(Routes, DocumentsAreRefusedByOthersAndOfOtherKinds) {
  const auto post = [&](const std::string& who, const std::string& title, const std::string& body) {
    return app.call(who, Method::Post, path + "/documents?title=" + title, body).status;
  };
  EXPECT_EQ(post("bob", "Mine", "text"), 403);
  EXPECT_EQ(post("ada", "", "text"), 422);
  EXPECT_EQ(post("ada", std::string(201, 'x'), "text"), 422);
  EXPECT_EQ(post("ada", "Archive", "PK\x03\x04"), 415);
  EXPECT_EQ(post("ada", "Large", std::string(20 * 1024 * 1024 + 1, 'x')), 413);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(post("ada", "Same", "text"), 201) << i;
  EXPECT_EQ(post("ada", "One more", "text"), 409);
}

TEST_F(Routes, ALargeDocumentIsStoredAndReadInPieces) {
  std::string text;
  while (text.size() <= 3 * 1024 * 1024) text += "line " + std::to_string(text.size()) + "\n";
  const auto count = [&](const std::string& table) {
    return *app.database.read([&](sql::Transaction& transaction) {
      return transaction.execute("SELECT count(*) FROM " + table).at(0).integer(0);
    });
  };
  const std::int64_t whole = count("upload");
  const Response added = app.call("ada", Method::Post, path + "/documents?title=Log", text);
  ASSERT_EQ(added.status, 201) << added.body;
  const Json document = Json::parse(added.body);
  EXPECT_EQ(document.at("bytes"), text.size());
  EXPECT_EQ(count("upload"), whole) << "a program of before would read it from there";
  EXPECT_EQ(count("large_upload"), 1);

  const auto content = [&](const std::string& who) {
    return app.call(who, Method::Get, document.at("location").get<std::string>());
  };
  const Response read = content("bob");
  ASSERT_EQ(read.status, 200);
  EXPECT_EQ(read.headers.find("Accept-Ranges"), "bytes");
  EXPECT_EQ(read.headers.find("Content-Disposition"), "attachment");
  EXPECT_EQ(read.headers.find("Content-Type"), "text/plain; charset=utf-8");
  ASSERT_TRUE(read.source);
  EXPECT_EQ(read.source->left(), text.size());
  std::string got;
  while (read.source->left() > 0) got += read.source->take();
  EXPECT_TRUE(got == text);
  EXPECT_EQ(*uploads::sweep(app.database, {"projects", kReferencedUploadsSql}), 0);
  app.execute("UPDATE large_upload SET held_at = held_at - interval '2 days'");
  EXPECT_EQ(*uploads::sweep(app.database, {"projects", kReferencedUploadsSql}), 0);
  EXPECT_EQ(content("bob").status, 200);

  // A reader who has begun finds no more once the author has closed the account.
  const Response begun = content("bob");
  app.execute("UPDATE person SET closed = true WHERE account_id = $1::uuid",
              {app.account_ids.of("ada")});
  EXPECT_THROW((void)begun.source->take(), std::runtime_error);
  EXPECT_EQ(content("bob").status, 404);
}

TEST_F(Routes, VisitsCountOnceAVisitorAndDayAndNeverTheAuthors) {
  const auto visit = [&](const std::string& who) {
    const Response visited = app.call(who, Method::Post, path + "/visits");
    EXPECT_EQ(visited.status, 204) << visited.body;
  };
  EXPECT_EQ(app.get("bob", path + "/visits"), Json::parse(R"({"total": 0, "days": []})"));
  const std::string first = core::format_day(core::utc_day(app.clock.now()));
  for (const char* who : {"bob", "cleo", "bob", "ada"}) visit(who);
  app.clock.advance(std::chrono::hours(24));
  const std::string second = core::format_day(core::utc_day(app.clock.now()));
  for (const char* who : {"bob", "bob"}) visit(who);
  const Json counted{{"total", 3},
                     {"days", {{{"day", second}, {"visits", 1}}, {{"day", first}, {"visits", 2}}}}};
  for (const char* who : {"ada", "bob"}) EXPECT_EQ(app.get(who, path + "/visits"), counted) << who;

  for (int day = 0; day < 35; ++day) {
    app.clock.advance(std::chrono::hours(24));
    visit("bob");
  }
  const Json many = app.get("ada", path + "/visits");
  EXPECT_EQ(many.at("total"), 38) << "also of days that are not listed";
  EXPECT_EQ(many.at("days").size(), 30U);

  const std::string none = "/v1/projects/" + std::string(26, '0') + "/visits";
  EXPECT_EQ(app.call("bob", Method::Post, none).status, 404);
  EXPECT_EQ(app.call("bob", Method::Get, none).status, 404);
}

TEST_F(Routes, ASweepLeavesWhatProjectsShow) {
  app.call("ada", Method::Put, path + "/icon", test_support::picture(2, 2));
  app.call("ada", Method::Put, path + "/icon", test_support::picture(3, 3));
  app.call("ada", Method::Post, path + "/documents?title=Plan", "text");
  app.execute("UPDATE upload SET held_at = held_at - interval '2 days'");
  EXPECT_EQ(*uploads::sweep(app.database, {"projects", kReferencedUploadsSql}), 1);
  EXPECT_EQ(app.call("bob", Method::Get, app.get("bob", path).at("icon").get<std::string>()).status,
            200);
}

}  // namespace
}  // namespace tideline::projects
