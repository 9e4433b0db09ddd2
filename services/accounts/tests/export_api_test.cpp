// What a person can take along.

#include <gtest/gtest.h>

#include <set>

#include "accounts_app.hpp"
#include "support/pictures.hpp"

namespace tideline::accounts::testing {
namespace {

std::vector<json> whole_export(AccountsApp& app, const Tokens& tokens, int limit) {
  std::vector<json> items;
  std::string after;
  do {
    http::Request request;
    request.method = http::Method::Get;
    request.path = "/v1/accounts-export";
    request.query_parameters = {{"limit", std::to_string(limit)}};
    if (!after.empty()) request.query_parameters.emplace_back("after", after);
    request.headers.set("Authorization", "Bearer " + tokens.access);
    const auto response = app.router->dispatch(request);
    EXPECT_EQ(response.status, 200) << response.body;
    if (response.status != 200) break;
    const json page = json::parse(response.body);
    for (const json& item : page.at("items")) items.push_back(item);
    after = page.at("after").is_null() ? "" : page.at("after").get<std::string>();
  } while (!after.empty());
  return items;
}

TEST(Export, HasEveryProfileThatThereWas) {
  AccountsApp app;
  const Tokens ada = app.enrol("7");
  app.enrol("8");
  for (const char* bio : {"Low tide", "High tide"}) {
    app.call(http::Method::Patch, "/v1/me", {{"bio", bio}}, {.token = ada.access});
  }
  app.call(http::Method::Put, "/v1/me/avatar", json(test_support::picture(8, 8)),
           {.token = ada.access});
  for (const int limit : {1, 2, 100}) {
    SCOPED_TRACE(limit);
    std::vector<std::string> sections;
    std::vector<std::string> bios;
    for (const json& item : whole_export(app, ada, limit)) {
      sections.push_back(item.at("section"));
      const json& data = item.at("data");
      if (sections.back() == "profiles") bios.push_back(data.at("bio"));
      if (sections.back() != "account") continue;
      EXPECT_EQ(data.at("email"), "7@campus.example");
      EXPECT_TRUE(data.at("avatar_link")
                      .get<std::string>()
                      .starts_with(data.at("avatar").get<std::string>()));
    }
    EXPECT_EQ(bios, (std::vector<std::string>{"", "Low tide", "High tide", "High tide"}));
    EXPECT_EQ(sections, (std::vector<std::string>{"account", "profiles", "profiles", "profiles",
                                                  "profiles", "sessions", "visits"}));
  }
}

TEST(Export, IsForWhoIsSignedIn) {
  AccountsApp app;
  app.enrol("7");
  EXPECT_EQ(app.get("/v1/accounts-export", "").status, 401);
}

}  // namespace
}  // namespace tideline::accounts::testing
