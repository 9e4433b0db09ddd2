#include "social-graph/api/lists.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tideline::social_graph {
namespace {

using core::AccountId;
using http::Request;
using http::Response;
using sql::parse_account_place;
using sql::parse_id_place;
using sql::PersonSince;
using sql::Place;
using sql::Slice;
using sql::Window;

template <class Id, class Parse>
Window<Id> read_window(const Request& request, std::string_view kind, const Parse& parse) {
  const auto page = http::value_of(http::read_page(request, kind, parse));
  return Window<Id>{page.before, page.after, page.limit};
}

struct NamedSlice {
  Slice<PersonSince> slice;
  std::map<AccountId, people::Person> people;
};

}  // namespace

Window<AccountId> read_account_window(const Request& request, std::string_view kind) {
  return read_window<AccountId>(request, kind, parse_account_place);
}

Window<std::string> read_id_window(const Request& request, std::string_view kind) {
  return read_window<std::string>(request, kind, parse_id_place);
}

Response answer_people(
    const ApiPorts& ports, const Request& request, std::string_view kind,
    http::WhenBehind when_behind,
    const std::function<Slice<PersonSince>(sql::Transaction&, const Window<AccountId>&)>& query) {
  const auto window = read_account_window(request, kind);
  return answer_from_tables<NamedSlice>(
      ports, request, when_behind,
      [&](sql::Transaction& transaction) -> NamedSlice {
        auto slice = query(transaction, window);
        std::vector<AccountId> accounts;
        for (const PersonSince& item : slice.items) accounts.push_back(item.account);
        auto people = ports.people.find_many(transaction, accounts);
        return NamedSlice{std::move(slice), std::move(people)};
      },
      [&](NamedSlice found) {
        http::Page page = cursors_of(found.slice, [](const PersonSince& item) {
          return Place<AccountId>{item.since, item.account};
        });
        for (const PersonSince& item : found.slice.items) {
          auto entry = person_json(found.people, item.account);
          entry["since"] = core::format_iso8601(item.since);
          page.items.push_back(std::move(entry));
        }
        return http::page_response(kind, std::move(page));
      });
}

}  // namespace tideline::social_graph
