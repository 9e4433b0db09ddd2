#include "feed/api/search/search_query.hpp"

#include "feed/projections/search/search_scopes.hpp"

namespace tideline::feed {

search::Query read_search(const http::Request& request) {
  const auto query =
      search::Query::parse(request.query("query").value_or(""), search::Match::Words);
  if (!query) {
    http::refuse(http::malformed("query is 1 to " + std::to_string(search::kQueryLength) +
                                 " characters, with 1 to " +
                                 std::to_string(search::kConditionsMax) + " words"));
  }
  return *query;
}

WantedWords wanted_words(const ApiPorts& ports, const search::Query& query) {
  return wanted_words(search::TermKeys(ports.cipher, std::string(kSearchTerms)), query);
}

}  // namespace tideline::feed
