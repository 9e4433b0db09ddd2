// Visits of profiles and their pictures, through tables and routes.

#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "read_model.hpp"
#include "support/pictures.hpp"
#include "uploads/image_header.hpp"

namespace tideline::accounts::testing {
namespace {

// However the visits lie in logs and batches; see the oracle, which counts pairs a day.
TEST_F(ReadModel, VisitsAreCountedOncePerViewerAndDayInEveryOrder) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const std::jthread recorder([&](const std::stop_token& stop) { app.views.run(stop); });
  const core::Day today = *core::parse_day("2026-05-01");
  std::set<std::tuple<int, int, core::Day>> seen;
  for (int i = 0; i < 120; ++i) {
    const auto viewer = static_cast<int>(random() % 5);
    const auto owner = static_cast<int>(random() % 3);
    const core::Day day = today - std::chrono::days(random() % 40) + std::chrono::days(1);
    if (viewer != owner) seen.emplace(viewer, owner, day);
    const auto id = [&](int who) { return app.account_ids.of(std::to_string(who)); };
    app.views.offer({{id(viewer), id(owner), day}, app.clock.now(), {}});
    ASSERT_TRUE(app.views.wait_until_idle(std::chrono::seconds(10)));
  }
  auto events = app.events();
  for (int round = 0; round < 5; ++round) {
    std::shuffle(events.begin(), events.end(), random);
    ASSERT_TRUE(database
                    .transact([](Transaction& transaction) {
                      transaction.execute("TRUNCATE profile_visit_count");
                    })
                    .ok());
    ProfileVisitProjection projection;
    project(projection, events, 1 + random() % 20);
    for (int owner = 0; owner < 3; ++owner) {
      VisitCounts expected;
      for (const auto& [viewer, whose, day] : seen) {
        if (whose != owner) continue;
        ++expected.total;
        expected.today += day == today ? 1 : 0;
        expected.last_30_days += day <= today && day > today - std::chrono::days(30) ? 1 : 0;
      }
      EXPECT_EQ(visits_of(std::to_string(owner), today), expected) << owner;
    }
  }
}

TEST_F(ReadModel, VisitsAreShownToTheOwnerAndToWhomTheOwnerAllows) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  project_accounts();
  const std::jthread recorder([&](const std::stop_token& stop) { app.views.run(stop); });
  EXPECT_EQ(app.get("/v1/profiles/1", bob.access).status, 200);
  ASSERT_TRUE(app.views.wait_until_idle(std::chrono::seconds(10)));
  ProfileVisitProjection visits;
  project(visits, app.events(), 1000);
  const json one{{"today", 1}, {"last_30_days", 1}, {"total", 1}};
  const auto shown = [&](const std::string& path, const Tokens& to) {
    return json::parse(app.get(path, to.access).body).at("visits");
  };
  EXPECT_EQ(shown("/v1/profiles/1", ada), one);
  EXPECT_EQ(shown("/v1/me", ada), one);
  EXPECT_EQ(shown("/v1/profiles/1", bob), nullptr);
  app.call(http::Method::Patch, "/v1/me", {{"shows_visits", true}}, {.token = ada.access});
  project_accounts();
  EXPECT_EQ(shown("/v1/profiles/1", bob), one);
}

TEST_F(ReadModel, AnAvatarIsOnTheProfileAndForWhoMaySeeIt) {
  const Tokens ada = app.enrol("1");
  const Tokens bob = app.enrol("2");
  const auto put = [&](const std::string& bytes) {
    return app.call(http::Method::Put, "/v1/me/avatar", json(bytes), {.token = ada.access});
  };
  EXPECT_EQ(put("no image").status, 415);
  EXPECT_EQ(put(test_support::gif(64, 64)).status, 415);
  EXPECT_EQ(put(test_support::png(20'000, 64)).status, 422);
  const auto stored = put(test_support::picture(300, 64));
  ASSERT_EQ(stored.status, 200) << stored.body;
  const std::string path = json::parse(stored.body).at("avatar");
  project_accounts();
  const json profile = json::parse(app.get("/v1/profiles/1", bob.access).body);
  EXPECT_EQ(profile.at("avatar"), path);
  EXPECT_TRUE(profile.at("avatar_link").get<std::string>().starts_with(path + "?reader="));
  EXPECT_EQ(profile.at("avatar_preview"), json::parse(stored.body).at("avatar_preview"));
  EXPECT_EQ(profile.at("avatar_preview").at("width"), 300);
  const auto read = app.get(path, bob.access);
  EXPECT_TRUE(path.ends_with(uploads::hash_of(read.body)));
  const auto small = app.get(path + "?size=small", bob.access);
  EXPECT_EQ(uploads::read_image_header(small.body)->width, 160U);
  EXPECT_EQ(read.headers.find("Content-Type"), "image/webp");
  EXPECT_EQ(app.get(path, "").status, 401);
  EXPECT_EQ(app.get("/v1/profiles/1/avatar/" + uploads::hash_of("other"), bob.access).status, 404);
  block("1", "2");
  EXPECT_EQ(problem_code(app.get(path, bob.access)), "no-such-person");
  EXPECT_EQ(app.get(path, ada.access).status, 200);
  ASSERT_EQ(app.call(http::Method::Delete, "/v1/me/avatar", nullptr, {.token = ada.access}).status,
            204);
  project_accounts();
  EXPECT_EQ(app.get(path, ada.access).status, 404);
}

// An avatar in use is never swept, whatever is behind.
TEST_F(ReadModel, UploadsInUseAreThoseOfTheDirectoryOrNewer) {
  const Tokens ada = app.enrol("1");
  project_accounts();
  const auto used = [&] {
    std::set<std::string> hashes;
    const auto found = database.read([&](Transaction& transaction) {
      for (const auto& row : transaction.execute(kReferencedUploadsSql)) hashes.insert(row.text(1));
      return true;
    });
    EXPECT_TRUE(found.ok());
    return hashes;
  };
  const auto run = [&](const std::string& sql) {
    const auto status = database.transact(
        [&](Transaction& transaction) { transaction.execute(sql, {app.account_ids.of("1")}); });
    ASSERT_TRUE(status.ok()) << status.error().message;
  };
  run("INSERT INTO upload SELECT $1::uuid, hash, 'image/png', 1, '', now()"
      " FROM unnest(ARRAY['old', 'new']) AS hash");
  EXPECT_EQ(used(), (std::set<std::string>{"old", "new"})) << "the directory knows nothing yet";
  run("INSERT INTO person_profile (account_id, version, closed, avatar)"
      " VALUES ($1::uuid, 1, false, 'old')");
  EXPECT_EQ(used(), std::set<std::string>{"old"});
  app.call(http::Method::Patch, "/v1/me", {{"sex", 1}}, {.token = ada.access});
  project_accounts();
  EXPECT_EQ(used(), (std::set<std::string>{"old", "new"})) << "the directory is behind";
  run("UPDATE person_profile SET version = 3, avatar = NULL WHERE account_id = $1::uuid");
  EXPECT_EQ(used(), std::set<std::string>{});
}

}  // namespace
}  // namespace tideline::accounts::testing
