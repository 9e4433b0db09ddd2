#include "sql/columns.hpp"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <ranges>
#include <string>

namespace tideline::sql {
namespace {

struct Place {
  std::string city;
  int floor = 0;

  std::string sign() const { return city + "/" + std::to_string(floor); }
};
struct Key {
  int house = 0;
  auto operator<=>(const Key&) const = default;
};
struct Entry {
  Place place;
  std::optional<Place> second_home;
};

std::vector<std::string> texts(const Params& params) {
  std::vector<std::string> all;
  for (const Param& param : params) all.push_back(param.text().value());
  return all;
}

using Texts = std::vector<std::string>;

TEST(Columns, AreMembersAndFunctionsOfRows) {
  const std::list<Place> rows{{"Ulm", 1}, {"Bonn", 2}};
  EXPECT_EQ(texts(columns(rows, &Place::city, &Place::floor, &Place::sign)),
            (Texts{R"({"Ulm","Bonn"})", R"({"1","2"})", R"({"Ulm/1","Bonn/2"})"}));
}

TEST(Columns, OfAMapAreMembersOfItsKeysAndValues) {
  const std::map<Key, Place> rows{{{7}, {"Ulm", 1}}, {{8}, {"Bonn", 2}}};
  EXPECT_EQ(texts(columns(rows, &Key::house, &Place::floor)),
            (Texts{R"({"7","8"})", R"({"1","2"})"}));
}

TEST(Columns, OfAMapMayBeItsWholeKeysAndValues) {
  const std::map<std::string, bool> rows{{"a", true}, {"b", false}};
  EXPECT_EQ(texts(columns(rows, kKey, kValue)), (Texts{R"({"a","b"})", R"({"true","false"})"}));
}

TEST(Columns, ReachIntoMembersAndThroughOptionals) {
  const std::map<Key, Entry> rows{{{7}, {{"Ulm", 1}, Place{"Rom", 3}}}};
  EXPECT_EQ(
      texts(columns(rows, at(&Entry::place, &Place::city), at(&Entry::second_home, &Place::floor),
                    at(&Entry::second_home, &Place::sign))),
      (Texts{R"({"Ulm"})", R"({"3"})", R"({"Rom/3"})"}));
}

TEST(Columns, KeepNullsAndTypesOfEmptyBatches) {
  const std::map<std::string, std::optional<int>> rows{{"a", 1}, {"b", std::nullopt}};
  EXPECT_EQ(texts(columns(rows, kValue)), (Texts{R"({"1",NULL})"}));
  const Params none = columns(std::map<std::string, bool>(), kValue);
  EXPECT_EQ(std::get<BinaryArray>(none.at(0).sent()).type(), BinaryArray::Type::Bool);
}

class Statements final : public Transaction {
 public:
  Rows execute(std::string_view sql, const Params& params) override {
    all.emplace_back(sql, texts(params));
    return {};
  }
  void copy_in(std::string_view, std::span<const std::string>, std::span<const Params>) override {}

  std::vector<std::pair<std::string, Texts>> all;
};

TEST(Batches, AreWrittenByOneStatementOrNone) {
  Statements statements;
  const std::map<std::string, int> rows{{"a", 1}, {"b", 2}, {"c", 3}};
  const auto odd = [](const auto& entry) { return entry.second % 2 == 1; };
  write_batch(statements, "INSERT", rows | std::views::filter(odd), kKey, kValue);
  write_batch(statements, "NOTHING", std::map<std::string, int>(), kKey, kValue);
  ASSERT_EQ(statements.all.size(), 1U);
  EXPECT_EQ(statements.all[0].first, "INSERT");
  EXPECT_EQ(statements.all[0].second, (Texts{R"({"a","c"})", R"({"1","3"})"}));
}

}  // namespace
}  // namespace tideline::sql
