#include "social-graph/api/lists.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using http::Request;
using http::Response;
using sql::parse_account_place;
using sql::parse_id_place;
using sql::PersonSince;
using sql::Slice;
using sql::Window;

template <class Id, class Parse>
Window<Id> read_window(const Request& request, std::string_view kind, const Parse& parse) {
  const auto page = http::value_of(http::read_page(request, kind, parse));
  return Window<Id>{page.before, page.after, page.limit};
}

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
  return answer_people_with<PersonSince>(ports, request, kind, when_behind, query,
                                         [](const std::vector<PersonSince>&, http::Json&) {});
}

}  // namespace tideline::social_graph
