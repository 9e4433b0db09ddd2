#include "demo/oracle.hpp"

#include <algorithm>

namespace tideline::demo {
namespace {

bool has(const std::set<PersonIndex>& people, PersonIndex person) {
  return people.find(person) != people.end();
}

// Whether the moment's lists name the viewer: himself, one of the author's tags, or a group.
bool listed(const World& world, PersonIndex viewer, const Moment& moment) {
  for (const PersonIndex user : moment.users) {
    if (user == viewer) return true;
  }
  for (const std::size_t tag : moment.tags) {
    if (world.tags[tag].owner == moment.author && has(world.tags[tag].people, viewer)) return true;
  }
  for (const std::size_t group : moment.groups) {
    if (!world.groups[group].dissolved && has(world.groups[group].members, viewer)) return true;
  }
  return false;
}

std::vector<const Moment*> newest_first(std::vector<const Moment*> moments) {
  std::sort(moments.begin(), moments.end(),
            [](const Moment* a, const Moment* b) { return a->id > b->id; });
  return moments;
}

}  // namespace

bool may_see(const World& world, PersonIndex viewer, const Moment& moment) {
  if (moment.deleted) return false;
  if (viewer == moment.author) return true;
  if (has(world.hidden_from[moment.author], viewer)) return false;
  if (moment.audience == Audience::Private) return false;
  if (moment.audience == Audience::Public) return true;
  if (!has(world.contacts[moment.author], viewer)) return false;
  return listed(world, viewer, moment) == (moment.audience == Audience::PartlyVisible);
}

std::vector<const Moment*> timeline_of(const World& world, PersonIndex viewer) {
  std::vector<const Moment*> seen;
  for (const Moment& moment : world.moments) {
    const PersonIndex author = moment.author;
    const bool own = author == viewer;
    const bool contact = has(world.contacts[viewer], author);
    const bool followed = has(world.following[viewer], author);
    if (!own && !contact && !(followed && moment.audience == Audience::Public)) continue;
    if (!own && has(world.hides[viewer], author)) continue;
    if (may_see(world, viewer, moment)) seen.push_back(&moment);
  }
  return newest_first(std::move(seen));
}

std::vector<const Moment*> search_of(const World& world, const std::string& text,
                                     PersonIndex viewer) {
  std::vector<const Moment*> found;
  for (const Moment& moment : world.moments) {
    const bool holds = moment.content.find(text) != std::string::npos;
    if (holds && may_see(world, viewer, moment)) found.push_back(&moment);
  }
  return newest_first(std::move(found));
}

std::vector<const Moment*> bookmarks_of(const World& world, PersonIndex owner) {
  std::vector<const Moment*> seen;
  for (const std::size_t number : world.bookmarks[owner]) {
    if (may_see(world, owner, world.moments[number])) seen.push_back(&world.moments[number]);
  }
  return seen;
}

std::vector<const Moment*> page_of(const World& world, PersonIndex author, PersonIndex viewer) {
  std::vector<const Moment*> seen;
  for (const Moment& moment : world.moments) {
    if (moment.author == author && may_see(world, viewer, moment)) seen.push_back(&moment);
  }
  return newest_first(std::move(seen));
}

}  // namespace tideline::demo
