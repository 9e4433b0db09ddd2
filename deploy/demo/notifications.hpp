// What people are told of what others have done, against the demo's own computation.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "demo/campus.hpp"

namespace tideline::demo {

// By kind and moment (its id, "" = none): who. As far as the owner may know it now.
using Told = std::map<std::pair<std::string, std::string>, std::set<PersonIndex>>;
Told told_of(const World& world, PersonIndex owner);

// Whole lists, with how many people each notification counts; and that nothing is unread once it
// has been seen. Returns how many notifications there were. Throws UnexpectedAnswer with the first
// difference.
std::size_t verify_notifications(WorkerPool& workers, Campus& campus,
                                 const std::vector<PersonIndex>& people);

}  // namespace tideline::demo
