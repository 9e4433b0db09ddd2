// What the suite must answer, computed from the demo's own record by brute force.
#pragma once

#include <string>
#include <vector>

#include "demo/world.hpp"

namespace tideline::demo {

// Whether the author's own settings let `viewer` see the moment.
bool may_see(const World& world, PersonIndex viewer, const Moment& moment);

// The moments of the viewer's timeline, newest first: the query of the design, over everything.
std::vector<const Moment*> timeline_of(const World& world, PersonIndex viewer);

// The moments on the author's page as the viewer sees it, newest first.
std::vector<const Moment*> page_of(const World& world, PersonIndex author, PersonIndex viewer);

// Whatever holds the text and is for the viewer, newest first.
std::vector<const Moment*> search_of(const World& world, const std::string& text,
                                     PersonIndex viewer);

// What the owner has bookmarked and may see, the newest bookmark first.
std::vector<const Moment*> bookmarks_of(const World& world, PersonIndex owner);

}  // namespace tideline::demo
