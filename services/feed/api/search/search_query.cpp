#include "feed/api/search/search_query.hpp"

#include "feed/projections/search/search_scopes.hpp"

namespace tideline::feed {

search::Query read_search(const http::Request& request) {
  const auto query =
      search::Query::parse(request.query("query").value_or(""), search::Match::Words);
  if (!query) {
    http::refuse(http::malformed(std::string(search::Query::kRule)));
  }
  return *query;
}

WantedWords wanted_words(const ApiPorts& ports, const search::Query& query) {
  return wanted_words(search::TermKeys(ports.cipher, std::string(kSearchTerms)), query);
}

}  // namespace tideline::feed
