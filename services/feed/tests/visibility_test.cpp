// The two predicates, case by case, over a graph that is a handful of sets.
#include "feed/domain/visibility.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tideline::feed {
namespace {

// People are letters: the author is 'a', the viewer 'v', somebody else 'x'.
struct SetsGraph {
  using Person = char;
  using Tag = char;
  using Group = char;

  std::set<std::pair<char, char>> contacts{}, following{}, hiding{}, hidden{}, blocked{};
  std::set<std::tuple<char, char, char>> tagged{};  // owner, tag, person
  std::set<std::pair<char, char>> members{};        // group, person
  std::set<char> closed{};
  bool unconfirmed = false;  // whatever is listed

  bool is_closed(char who) const { return closed.contains(who); }
  bool are_contacts(char one, char other) const {
    return contacts.contains({one, other}) || contacts.contains({other, one});
  }
  bool is_following(char one, char other) const { return following.contains({one, other}); }
  bool hides(char one, char other) const { return hiding.contains({one, other}); }
  bool is_hidden_from(char one, char other) const { return hidden.contains({one, other}); }
  bool are_apart(char one, char other) const {
    return blocked.contains({one, other}) || blocked.contains({other, one});
  }
  bool has_tagged(char owner, char tag, char who) const {
    return !unconfirmed && tagged.contains({owner, tag, who});
  }
  bool is_member(char group, char who) const {
    return !unconfirmed && members.contains({group, who});
  }
  bool may_have_tagged(char owner, char tag, char who) const {
    return tagged.contains({owner, tag, who});
  }
  bool may_be_member(char group, char who) const { return members.contains({group, who}); }
};

struct Case {
  std::string what;
  SetsGraph graph;
  Audience audience;
  std::string by;  // the lists name these: 't' a tag, 'g' a group, else users
  bool may_see;
  bool on_timeline;
};

const SetsGraph kNobody;
const SetsGraph kContact{.contacts = {{'a', 'v'}}};
const SetsGraph kFollower{.following = {{'v', 'a'}}};

SetsGraph with(SetsGraph graph, auto change) {
  change(graph);
  return graph;
}

std::vector<Case> cases() {
  using enum Audience;
  const auto hidden = [](SetsGraph& g) { g.hidden = {{'a', 'v'}}; };
  const auto hiding = [](SetsGraph& g) { g.hiding = {{'v', 'a'}}; };
  const auto other_way = [](SetsGraph& g) { g.hidden = {{'v', 'a'}}, g.hiding = {{'a', 'v'}}; };
  const auto blocks = [](SetsGraph& g) { g.blocked = {{'a', 'v'}}; };
  const auto blocked = [](SetsGraph& g) { g.blocked = {{'v', 'a'}}; };
  const auto tagged = [](SetsGraph& g) { g.tagged = {{'a', 't', 'v'}}; };
  const auto tagged_by_x = [](SetsGraph& g) { g.tagged = {{'x', 't', 'v'}}; };
  const auto member = [](SetsGraph& g) { g.members = {{'g', 'v'}}; };
  const auto closed = [](SetsGraph& g) { g.closed = {'a'}; };
  const auto maybe_tagged = [](SetsGraph& g) {
    g.tagged = {{'a', 't', 'v'}}, g.unconfirmed = true;
  };
  const auto maybe_member = [](SetsGraph& g) { g.members = {{'g', 'v'}}, g.unconfirmed = true; };
  return {
      {"a stranger sees the public one, not on his timeline", kNobody, Public, "", true, false},
      {"a contact sees the public one", kContact, Public, "", true, true},
      {"a follower sees the public one", kFollower, Public, "", true, true},
      {"nobody else sees the private one", kContact, Private, "", false, false},
      {"a follower sees no partly one", kFollower, PartlyInvisible, "", false, false},
      {"a named follower sees no partly one", kFollower, PartlyVisible, "v", false, false},
      {"a named stranger sees no partly one", kNobody, PartlyVisible, "v", false, false},
      {"an empty partly-visible shows to nobody", kContact, PartlyVisible, "", false, false},
      {"an empty partly-invisible to all contacts", kContact, PartlyInvisible, "", true, true},
      {"visible by name", kContact, PartlyVisible, "v", true, true},
      {"visible by tag", with(kContact, tagged), PartlyVisible, "t", true, true},
      {"not by somebody else's tag", with(kContact, tagged_by_x), PartlyVisible, "t", false, false},
      {"visible by group", with(kContact, member), PartlyVisible, "g", true, true},
      {"not by a group that he is not in", kContact, PartlyVisible, "g", false, false},
      {"one match of many is enough", with(kContact, member), PartlyVisible, "tgx", true, true},
      {"invisible by name", kContact, PartlyInvisible, "v", false, false},
      {"invisible by tag", with(kContact, tagged), PartlyInvisible, "t", false, false},
      {"invisible by group", with(kContact, member), PartlyInvisible, "g", false, false},
      {"invisible to others only", kContact, PartlyInvisible, "xtg", true, true},
      {"not by a tag unconfirmed", with(kContact, maybe_tagged), PartlyVisible, "t", false, false},
      {"not by a group unconfirmed", with(kContact, maybe_member), PartlyVisible, "g", false,
       false},
      {"by name, a tag unconfirmed", with(kContact, maybe_tagged), PartlyVisible, "tv", true, true},
      {"invisible by a tag unconfirmed", with(kContact, maybe_tagged), PartlyInvisible, "t", false,
       false},
      {"invisible by a group unconfirmed", with(kContact, maybe_member), PartlyInvisible, "g",
       false, false},
      {"hidden from a contact", with(kContact, hidden), Public, "", false, false},
      {"hidden from a follower", with(kFollower, hidden), Public, "", false, false},
      {"hidden from a stranger", with(kNobody, hidden), Public, "", false, false},
      {"hidden beats being named", with(kContact, hidden), PartlyVisible, "v", false, false},
      {"the viewer's own hiding acts on his timeline alone", with(kContact, hiding), Public, "",
       true, false},
      {"also as a follower", with(kFollower, hiding), Public, "", true, false},
      {"the settings of the other direction say nothing", with(kContact, other_way), Public, "",
       true, true},
      {"the author has blocked the viewer", with(kContact, blocks), Public, "", false, false},
      {"the viewer has blocked the author", with(kFollower, blocked), Public, "", false, false},
      {"a block beats being named", with(kContact, blocks), PartlyVisible, "v", false, false},
      {"a closed account shows nothing", with(kContact, closed), Public, "", false, false},
  };
}

TEST(Visibility, IsAsTheTableSays) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.what);
    std::vector<char> users, tags, groups;
    for (const char by : one.by) {
      (by == 't' ? tags : by == 'g' ? groups : users).push_back(by);
    }
    const Visibility predicates(one.graph);
    const MomentAudience<SetsGraph> moment{'a', one.audience, groups, tags, users, false};
    EXPECT_EQ(predicates.may_see('v', moment), one.may_see);
    EXPECT_EQ(predicates.may_see('v', moment) && predicates.wants('v', 'a'), one.on_timeline);

    const bool open = !one.graph.closed.contains('a');
    EXPECT_EQ(predicates.may_see('a', moment), open) << "by the author himself";
    EXPECT_TRUE(predicates.wants('a', 'a'));
    MomentAudience<SetsGraph> deleted = moment;
    deleted.deleted = true;
    EXPECT_FALSE(predicates.may_see('v', deleted));
    EXPECT_FALSE(predicates.may_see('a', deleted));
  }
}

TEST(Visibility, WithoutARuleShowsWhatTheRuleKeeps) {
  const std::vector<char> viewer{'v'};
  SetsGraph graph = kContact;
  const MomentAudience<SetsGraph> invisible{'a', Audience::PartlyInvisible, {}, {}, viewer, false};
  EXPECT_FALSE(Visibility(graph).may_see('v', invisible));
  EXPECT_TRUE(Visibility(graph, {.partly_invisible = false}).may_see('v', invisible));

  const MomentAudience<SetsGraph> secret{'a', Audience::Private, {}, {}, {}, false};
  EXPECT_TRUE(Visibility(graph, {.audience = false}).may_see('v', secret));

  graph.hidden = {{'a', 'v'}};
  graph.hiding = {{'v', 'a'}};
  const MomentAudience<SetsGraph> open{'a', Audience::Public, {}, {}, {}, false};
  EXPECT_TRUE(Visibility(graph, {.exclusion = false}).may_see('v', open));
  EXPECT_TRUE(Visibility(graph, {.exclusion = false}).wants('v', 'a'));
}

TEST(Audience, HasANameEach) {
  for (const auto audience :
       {Audience::Public, Audience::Private, Audience::PartlyVisible, Audience::PartlyInvisible}) {
    EXPECT_EQ(parse_audience(to_string(audience)), audience);
  }
  EXPECT_EQ(parse_audience("everybody"), std::nullopt);
}

struct Meeting {
  std::string what;
  SetsGraph graph;
  char writer;
  bool met;
};

TEST(Visibility, MeetsUnderAMomentOneselfItsAuthorAndOnesContacts) {
  const SetsGraph closed{.contacts = {{'v', 'x'}}, .closed = {'v', 'a', 'x'}};
  const std::vector<Meeting> meetings{
      {"oneself", kNobody, 'v', true},
      {"the author, a stranger", kNobody, 'a', true},
      {"a contact", {.contacts = {{'v', 'x'}}}, 'x', true},
      {"a stranger", kNobody, 'x', false},
      {"a contact of the author", {.contacts = {{'a', 'x'}, {'a', 'v'}}}, 'x', false},
      {"somebody whom he follows", {.following = {{'v', 'x'}}}, 'x', false},
      {"a contact behind a block", {.contacts = {{'v', 'x'}}, .blocked = {{'x', 'v'}}}, 'x', false},
      {"a contact whom the author has blocked",
       {.contacts = {{'v', 'x'}}, .blocked = {{'a', 'x'}}},
       'x',
       false},
      {"the author behind a block", {.blocked = {{'v', 'a'}}}, 'a', false},
      {"oneself, closed", closed, 'v', false},
      {"the author, closed", closed, 'a', false},
      {"a contact, closed", closed, 'x', false},
  };
  for (const Meeting& meeting : meetings) {
    EXPECT_EQ(Visibility(meeting.graph).may_meet('v', meeting.writer, 'a'), meeting.met)
        << meeting.what;
  }
}

}  // namespace
}  // namespace tideline::feed
