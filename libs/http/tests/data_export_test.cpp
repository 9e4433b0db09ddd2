#include "http/routing/data_export.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "http/messages/cursor.hpp"

namespace tideline::http {
namespace {

using nlohmann::json;

constexpr core::AccountId kAda(core::AccountId::Bytes{1});
constexpr core::AccountId kBob(core::AccountId::Bytes{2});

Request asked(const core::AccountId& caller, const json& after, int limit = 100) {
  Request request;
  request.path = "/v1/tides-export";
  request.query_parameters = {{"limit", std::to_string(limit)}};
  if (after.is_string()) request.query_parameters.emplace_back("after", after.get<std::string>());
  request.principal = Principal{caller, {}};
  return request;
}

// Numbers 0 to count - 1; the place is the next of them.
ExportSection numbers(std::string name, int count) {
  return {std::move(name), [count](const core::AccountId&, const std::string& place, int limit) {
            ExportSlice slice;
            int next = place.empty() ? 0 : std::stoi(place);
            for (; next < count && limit > 0; --limit) slice.items.push_back({{"number", next++}});
            if (next < count) slice.next = std::to_string(next);
            return slice;
          }};
}

RC_GTEST_PROP(DataExportLaw, PagesTogetherHaveEveryItemOnce, ()) {
  const core::ManualClock clock(core::Timestamp{});
  const auto counts = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  std::vector<ExportSection> sections;
  json expected = json::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string name = "s" + std::to_string(i);
    sections.push_back(numbers(name, counts[i]));
    for (int n = 0; n < counts[i]; ++n) {
      expected.push_back({{"section", name}, {"data", {{"number", n}}}});
    }
  }
  json found = json::array();
  json after;
  do {
    // Another one each time, so that no limit of pages is met.
    DataExport exported(clock, sections);
    const int limit = *rc::gen::inRange(1, 9);
    const json page = json::parse(exported.page(asked(kAda, after, limit)).body);
    RC_ASSERT(static_cast<int>(page.at("items").size()) <= limit);
    for (const json& item : page.at("items")) found.push_back(item);
    after = page.at("after");
  } while (!after.is_null());
  RC_ASSERT(found == expected);
}

int status_of(DataExport& exported, const Request& request) {
  return answer_of([&] { return exported.page(request); }).status;
}

TEST(DataExport, TakesItsOwnCursorsAlone) {
  const core::ManualClock clock(core::Timestamp{});
  DataExport exported(clock, {numbers("s", 3)});
  EXPECT_EQ(status_of(exported, asked(kAda, encode_cursor("export", "s 1"))), 200);
  EXPECT_EQ(status_of(exported, asked(kAda, encode_cursor("export", "t 1"))), 400);
  EXPECT_EQ(status_of(exported, asked(kAda, encode_cursor("export", "s"))), 400);
  EXPECT_EQ(status_of(exported, asked(kAda, encode_cursor("ledger", "s 1"))), 400);
  Request backwards = asked(kAda, nullptr);
  backwards.query_parameters = {{"before", encode_cursor("export", "s 1")}};
  EXPECT_EQ(status_of(exported, backwards), 400);
}

TEST(DataExport, APersonReadsSoManyPagesAndNobodyElseWaits) {
  core::ManualClock clock(core::Timestamp{});
  DataExport exported(clock, {numbers("s", 3)});
  int given = 0;
  while (status_of(exported, asked(kAda, nullptr)) == 200) ++given;
  EXPECT_EQ(given, static_cast<int>(DataExport::kPages.burst));
  EXPECT_EQ(status_of(exported, asked(kAda, nullptr)), 429);
  EXPECT_EQ(status_of(exported, asked(kBob, nullptr)), 200);
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(status_of(exported, asked(kAda, nullptr)), 200);
}

}  // namespace
}  // namespace tideline::http
