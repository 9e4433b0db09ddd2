#include "demo/graph.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <unordered_map>

namespace tideline::demo {

core::Result<Graph> read_edges(const std::string& path) {
  std::ifstream file(path);
  if (!file) return core::invalid_input("cannot read the graph " + path);
  Graph graph;
  std::unordered_map<std::string, std::size_t> index_by_name;
  const auto index_of = [&](const std::string& name) {
    const auto [found, added] = index_by_name.emplace(name, graph.names.size());
    if (added) graph.names.push_back(name);
    return found->second;
  };
  std::set<std::pair<std::size_t, std::size_t>> edges;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string one;
    std::string other;
    if (!(words >> one) || one[0] == '#' || one[0] == '%') continue;
    if (!(words >> other)) {
      return core::invalid_input(path + ":" + std::to_string(number) + ": not two ids");
    }
    const std::size_t a = index_of(one);
    const std::size_t b = index_of(other);
    if (a != b) edges.insert(std::minmax(a, b));
  }
  if (edges.empty()) return core::invalid_input(path + " holds no edge");
  graph.edges.assign(edges.begin(), edges.end());
  return graph;
}

Graph generate_campus(std::size_t people, std::size_t friends_each, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph graph;
  std::vector<std::size_t> endpoints;  // everybody once, and once more for each friend he has
  for (std::size_t newcomer = 0; newcomer < people; ++newcomer) {
    graph.names.push_back(std::to_string(newcomer));
    std::set<std::size_t> friends;
    const std::size_t wanted = std::min(friends_each, newcomer);
    while (friends.size() < wanted) friends.insert(endpoints[random() % endpoints.size()]);
    for (const std::size_t other : friends) {
      graph.edges.emplace_back(other, newcomer);
      endpoints.push_back(other);
      endpoints.push_back(newcomer);
    }
    endpoints.push_back(newcomer);
  }
  return graph;
}

core::Status check_contact_limit(const Graph& graph, std::size_t contact_limit) {
  std::vector<std::size_t> friends(graph.names.size());
  for (const auto& [one, other] : graph.edges) {
    ++friends[one];
    ++friends[other];
  }
  const auto most = std::max_element(friends.begin(), friends.end());
  if (most == friends.end() || *most <= contact_limit) return core::success();
  const std::string& name = graph.names[static_cast<std::size_t>(most - friends.begin())];
  const std::string count = std::to_string(*most);
  return core::invalid_input("person " + name + " of the graph has " + count +
                             " friends, and the contact limit is " + std::to_string(contact_limit) +
                             ": run with --contact-limit " + count);
}

}  // namespace tideline::demo
