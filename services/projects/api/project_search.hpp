// GET /v1/projects?query= and ?name=, with author, label and order, or without.
#pragma once

#include "http/messages/message.hpp"
#include "projects/api/ports.hpp"

namespace tideline::projects {

// What the listing of the same author and label shows and what has all words of the query, and in
// its name words that begin with those of the name, newest first, in one direction. Refuses either
// of more than 100 characters; one without a word finds nothing. Thread-safe; blocks on the
// position token, the database and the keys.
http::Response search_projects(const ApiPorts& ports, const http::Request& request);

}  // namespace tideline::projects
