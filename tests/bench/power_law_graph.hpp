// Contacts of a made-up population: pairs of people, drawn so that the number of somebody's
// contacts follows a power law (exponent 3) with a given mean and a bound. The same seed gives the
// same graph. Pure but for the graph of a file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tideline::bench {

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // the smaller first

struct PowerLaw {
  std::uint32_t people = 1'000'000;
  double contacts_mean = 150;
  std::uint32_t contacts_max = 5'000;
  std::uint64_t seed = 1;
};

// Sorted, no pair twice, nobody with himself.
inline std::vector<Pair> power_law_graph(const PowerLaw& law) {
  // Who has rank r among n by popularity has mean / 2 * sqrt(n / r) contacts: for a uniform u, the
  // rank n * u * u is drawn as often as that. Those above the bound are refused accordingly.
  const double n = law.people;
  std::mt19937_64 numbers(law.seed);
  std::uniform_real_distribution<double> uniform;
  // Neighbours by rank do not lie beside each other in memory. Not the step of feed_people.hpp: the
  // first in that order would be the most popular ones.
  std::uint64_t step = 1'597'334'677;
  while (std::gcd(step, std::uint64_t{law.people}) != 1) step += 2;
  const auto somebody = [&] {
    while (true) {
      const double u = uniform(numbers);
      const double expected = law.contacts_mean / 2 / std::max(u, 1e-9);
      if (uniform(numbers) * expected > law.contacts_max) continue;
      const auto rank = static_cast<std::uint64_t>(n * u * u);
      return static_cast<std::uint32_t>(rank * step % law.people);
    }
  };
  std::vector<Pair> pairs;
  const auto wanted = static_cast<std::size_t>(n * law.contacts_mean / 2);
  pairs.reserve(wanted);
  while (pairs.size() < wanted) {
    const std::uint32_t one = somebody();
    const std::uint32_t other = somebody();
    if (one != other) pairs.emplace_back(std::min(one, other), std::max(one, other));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<std::uint32_t> contacts(law.people);
  std::erase_if(pairs, [&](const Pair& pair) {
    auto& one = contacts[pair.first];
    auto& other = contacts[pair.second];
    if (one == law.contacts_max || other == law.contacts_max) return true;
    ++one, ++other;
    return false;
  });
  return pairs;
}

// Of a file of two numbers a line: a friendship each.
inline std::vector<Pair> read_graph(const std::string& path) {
  std::ifstream file(path);
  std::vector<Pair> pairs;
  for (std::uint32_t one = 0, other = 0; file >> one >> other;) {
    if (one != other) pairs.emplace_back(std::min(one, other), std::max(one, other));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// Of the file, or made up if there is none ("").
inline std::vector<Pair> graph_of(const std::string& path, const PowerLaw& law) {
  return path.empty() ? power_law_graph(law) : read_graph(path);
}

inline std::uint32_t people_in(const std::vector<Pair>& pairs) {
  std::uint32_t people = 0;
  for (const Pair& pair : pairs) people = std::max(people, pair.second + 1);
  return people;
}

}  // namespace tideline::bench
