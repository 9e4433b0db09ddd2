// Where the campus's friendships come from: a file of edges, or a generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace tideline::demo {

struct Graph {
  std::vector<std::string> names;  // of the nodes, in order of their first appearance
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // undirected, once each, no loops
};

// Lines of two names, separated by white space; blank lines and lines that begin with # or % are
// passed over, further columns ignored; an edge given twice or backwards counts once.
core::Result<Graph> read_edges(const std::string& path);

// A campus by preferential attachment (Barabási and Albert, 1999): each newcomer befriends up to
// `friends_each` people who are there, those with many friends more likely. Same seed, same graph.
Graph generate_campus(std::size_t people, std::size_t friends_each, std::uint64_t seed);

// An Error that names the person of most friends, where they are more than `contact_limit`.
core::Status check_contact_limit(const Graph& graph, std::size_t contact_limit);

}  // namespace tideline::demo
