// People and a group who exchange messages, from the routes to the tables and back.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../feed_app.hpp"
#include "feed_database.hpp"

namespace tideline::feed::testing {

using Texts = std::vector<std::string>;

class Messages : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  Messages() {
    for (const std::string name : {"ada", "bob", "cleo", "b_o_b"}) {
      tables.enter_person(app.id_of(name), name, "Miss " + name);
    }
    tables.enter_person(app.id_of("left"), "left", "Miss left", true);
    for (const auto& [one, other] : {std::pair{"ada", "bob"}, {"ada", "b_o_b"}, {"bob", "cleo"}}) {
      app.befriend(one, other);
    }
    group = core::make_time_ordered_id(app.clock.now(), app.random);
  }

  http::Response post(const std::string& who, const Json& body) {
    return app.post(who, "/v1/messages", body);
  }
  std::string send(const std::string& who, const std::string& to, const std::string& text) {
    const auto response = post(who, {{"to", to}, {"text", text}});
    EXPECT_EQ(response.status, 201) << response.body;
    return Json::parse(response.body)["key"];
  }
  std::string send_to_group(const std::string& who, const std::string& text) {
    const auto response = post(who, {{"group_id", group}, {"text", text}});
    EXPECT_EQ(response.status, 201) << response.body;
    return Json::parse(response.body)["key"];
  }
  Json read(const std::string& who, const std::string& path) {
    const auto response = app.get(who, path);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return Json::parse(response.body);
  }
  Texts texts(const std::string& who, const std::string& path) {
    Texts found;
    const Json page = read(who, path);
    for (const auto& item : page["items"]) found.push_back(item["text"]);
    return found;
  }

  FeedDatabase tables;
  FeedApp app{tables.database};
  std::string group;
};

}  // namespace tideline::feed::testing
