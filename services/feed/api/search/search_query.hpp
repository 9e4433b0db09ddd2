// What searches have in common: their query, and how much one page may look at.
#pragma once

#include <cstddef>

#include "feed/api/ports.hpp"
#include "feed/projections/search/search_queries.hpp"
#include "http/messages/cursor.hpp"
#include "search/terms.hpp"

namespace tideline::feed {

// Candidates at once, and in all for one page: a page may be short where most of what has the words
// is not for the viewer, and says where to go on.
inline constexpr std::size_t kCandidatesAtOnce = 64;
inline constexpr std::size_t kCandidatesMax = 1024;

// Of ?query=; refuses one that is missing or too long. One without a word finds nothing.
search::Query read_search(const http::Request& request);
WantedWords wanted_words(const ApiPorts& ports, const search::Query& query);

// What is found is read in one direction.
template <class Place>
void refuse_before(const http::PageRequest<Place>& wanted) {
  if (wanted.before) http::refuse(http::malformed("what is found is read by ?after= alone"));
}

}  // namespace tideline::feed
