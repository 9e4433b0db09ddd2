#include "feed/api/search/search_query.hpp"

#include "feed/projections/search/search_scopes.hpp"

namespace tideline::feed {

search::Query read_search(const http::Request& request) {
  const auto text = request.query("query");
  const auto query = text ? search::Query::parse(*text, search::Match::Words) : std::nullopt;
  if (!query) http::refuse(http::malformed(std::string(search::Query::kRule)));
  return *query;
}

WantedWords wanted_words(const ApiPorts& ports, const search::Query& query) {
  return wanted_words(search::TermKeys(ports.cipher, std::string(kSearchTerms)), query);
}

}  // namespace tideline::feed
