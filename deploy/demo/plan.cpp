#include "demo/plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace tideline::demo {
namespace {

// The campus while the plan is drawn.
class Planner {
 public:
  Planner(const Graph& graph, std::uint64_t seed)
      : people_(graph.names.size()), random_(seed), friends_(people_) {
    plan_.people = people_;
    // Every fiftieth friendship comes about late: its moments must then appear backwards.
    for (const auto& [a, b] : graph.edges) {
      const Edge edge = one_in(2) ? Edge{a, b} : Edge{b, a};
      if (one_in(50)) {
        plan_.late_contacts.push_back(edge);
        continue;
      }
      plan_.contacts.push_back(edge);
      friends_[a].push_back(b);
      friends_[b].push_back(a);
    }
  }

  Plan draw(std::size_t moments_each) {
    draw_remarks();
    draw_follows();
    draw_tags();
    draw_groups();
    draw_exclusions();
    draw_projects();
    draw_visits();
    draw_moments(plan_.moments_before, (moments_each + 1) / 2);
    draw_changes();
    draw_moments(plan_.moments_after, moments_each / 2);
    return std::move(plan_);
  }

 private:
  bool one_in(std::size_t n) { return random_() % n == 0; }
  PersonIndex anybody() { return random_() % people_; }

  // Up to `count` different friends of a person.
  std::vector<PersonIndex> some_friends(PersonIndex person, std::size_t count) {
    std::vector<PersonIndex> chosen = friends_[person];
    std::shuffle(chosen.begin(), chosen.end(), random_);
    chosen.resize(std::min(count, chosen.size()));
    return chosen;
  }

  void draw_remarks() {
    for (const Edge& edge : plan_.contacts) {
      if (one_in(20)) plan_.remarks.push_back(edge);
    }
  }

  void draw_follows() {
    for (PersonIndex person = 0; person < people_; ++person) {
      if (!one_in(3)) continue;
      std::set<PersonIndex> followed;
      for (int i = 0; i < 3; ++i) followed.insert(anybody());
      followed.erase(person);
      for (const PersonIndex other : followed) plan_.follows.emplace_back(person, other);
    }
  }

  void draw_tags() {
    for (PersonIndex owner = 0; owner < people_; ++owner) {
      if (friends_[owner].size() < 3 || !one_in(4)) continue;
      tags_of_[owner].push_back(plan_.tags.size());
      plan_.tags.push_back({owner, some_friends(owner, 12)});
    }
  }

  void draw_groups() {
    const std::size_t wanted = std::max<std::size_t>(2, people_ / 25);
    for (std::size_t i = 0; i < wanted; ++i) {
      const PersonIndex creator = anybody();
      if (friends_[creator].empty()) continue;
      const std::size_t number = plan_.groups.size();
      PlannedGroup group{creator, one_in(2), some_friends(creator, 20)};
      groups_of_[creator].push_back(number);
      for (const PersonIndex member : group.members) groups_of_[member].push_back(number);
      plan_.groups.push_back(std::move(group));
    }
  }

  void draw_exclusions() {
    for (PersonIndex person = 0; person < people_; ++person) {
      if (friends_[person].empty()) continue;
      if (one_in(10)) plan_.hides.emplace_back(person, some_friends(person, 1)[0]);
      if (one_in(10)) plan_.hidden_from.emplace_back(person, some_friends(person, 1)[0]);
      if (one_in(30) && people_ > 1) {
        // Strangers can be shut out too.
        const PersonIndex stranger = anybody();
        if (stranger != person) plan_.hidden_from.emplace_back(person, stranger);
      }
    }
    // A pair with both settings has one stream: it is written by one command alone.
    std::sort(plan_.hidden_from.begin(), plan_.hidden_from.end());
    plan_.hidden_from.erase(std::unique(plan_.hidden_from.begin(), plan_.hidden_from.end()),
                            plan_.hidden_from.end());
    const std::set<Edge> hidden(plan_.hidden_from.begin(), plan_.hidden_from.end());
    std::erase_if(plan_.hides, [&](const Edge& edge) { return hidden.contains(edge); });
  }

  void draw_projects() {
    for (PersonIndex author = 0; author < people_; ++author) {
      if (!one_in(8)) continue;
      PlannedProject project{author, {}, {}, {}};
      const std::size_t comments = random_() % 6;
      for (std::size_t i = 0; i < comments; ++i) {
        project.comments.push_back({anybody(), one_in(2) ? 0 : random_() % (i + 1)});
      }
      for (std::size_t i = random_() % 3; i > 0; --i) {
        const PersonIndex adviser = anybody();
        if (adviser != author) project.advice.push_back({adviser, one_in(2)});
      }
      std::set<PersonIndex> voters;
      for (std::size_t i = random_() % 10; i > 0; --i) voters.insert(anybody());
      project.voters.assign(voters.begin(), voters.end());
      plan_.projects.push_back(std::move(project));
    }
  }

  void draw_visits() {
    std::set<Edge> visits;
    for (std::size_t i = 0; i < people_ / 8 + 1; ++i) {
      const Edge visit{anybody(), anybody()};
      if (visit.first != visit.second) visits.insert(visit);
    }
    plan_.visits.assign(visits.begin(), visits.end());
    std::vector<PersonIndex> everybody(people_);
    std::iota(everybody.begin(), everybody.end(), PersonIndex{0});
    std::shuffle(everybody.begin(), everybody.end(), random_);
    everybody.resize(std::min<std::size_t>(everybody.size(), 50));
    plan_.sign_ins = std::move(everybody);
  }

  void draw_moments(std::vector<PlannedMoment>& moments, std::size_t each) {
    for (std::size_t round = 0; round < each; ++round) {
      for (PersonIndex author = 0; author < people_; ++author) {
        moments.push_back(draw_moment(author));
      }
    }
    std::shuffle(moments.begin(), moments.end(), random_);
  }

  PlannedMoment draw_moment(PersonIndex author) {
    PlannedMoment moment{author, Audience::Public, {}, {}, {}};
    const std::size_t dice = random_() % 20;
    if (dice < 12) return moment;
    if (dice < 13) {
      moment.audience = Audience::Private;
      return moment;
    }
    moment.audience = dice < 17 ? Audience::PartlyVisible : Audience::PartlyInvisible;
    if (one_in(10)) return moment;  // the empty list is an audience too
    if (!one_in(3)) moment.users = some_friends(author, 1 + random_() % 4);
    if (const auto tags = tags_of_.find(author); tags != tags_of_.end() && !one_in(3)) {
      moment.tags = tags->second;
    }
    if (const auto groups = groups_of_.find(author); groups != groups_of_.end() && !one_in(3)) {
      moment.groups.push_back(groups->second[random_() % groups->second.size()]);
    }
    return moment;
  }

  void draw_changes() {
    for (const Edge& edge : plan_.contacts) {
      if (one_in(60)) plan_.unfriended.push_back(edge);
    }
    for (const Edge& edge : plan_.hides) {
      if (one_in(4)) plan_.unhidden.push_back(edge);
    }
    for (const Edge& edge : plan_.follows) {
      if (one_in(6)) plan_.unfollowed.push_back(edge);
    }
    for (std::size_t tag = 0; tag < plan_.tags.size(); ++tag) {
      for (const PersonIndex person : plan_.tags[tag].people) {
        if (one_in(6)) plan_.untagged.emplace_back(tag, person);
      }
    }
    for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
      if (one_in(8)) {
        plan_.dissolved.push_back(group);
        forget_group(group);
        continue;
      }
      if (one_in(3)) plan_.renamed.push_back(group);
      const auto& members = plan_.groups[group].members;
      const bool handed = !members.empty() && one_in(2);
      if (handed) plan_.handed.emplace_back(group, members.front());
      for (const PersonIndex member : members) {
        if (!one_in(6) || (handed && member == members.front())) continue;
        plan_.left.emplace_back(group, member);
        std::erase(groups_of_[member], group);
        if (groups_of_[member].empty()) groups_of_.erase(member);
      }
    }
    for (std::size_t moment = 0; moment < plan_.moments_before.size(); ++moment) {
      if (one_in(40)) {
        plan_.deleted.push_back(moment);
      } else if (one_in(20)) {
        plan_.changed.emplace_back(moment, draw_moment(plan_.moments_before[moment].author));
      }
    }
    for (std::size_t project = 0; project < plan_.projects.size(); ++project) {
      for (std::size_t i = 1; i <= plan_.projects[project].comments.size(); ++i) {
        if (one_in(4)) plan_.removed.emplace_back(project, i);
      }
      if (!one_in(4)) continue;
      plan_.withdrawn.push_back(project);
      if (one_in(2)) plan_.restored.push_back(project);
    }
  }

  void forget_group(std::size_t group) {
    for (auto entry = groups_of_.begin(); entry != groups_of_.end();) {
      std::erase(entry->second, group);
      entry = entry->second.empty() ? groups_of_.erase(entry) : std::next(entry);
    }
  }

  std::size_t people_;
  std::mt19937_64 random_;
  std::vector<std::vector<PersonIndex>> friends_;
  std::map<PersonIndex, std::vector<std::size_t>> tags_of_;
  std::map<PersonIndex, std::vector<std::size_t>> groups_of_;  // that he is in
  Plan plan_;
};

}  // namespace

Plan make_plan(const Graph& graph, std::size_t moments_each, std::uint64_t seed) {
  return Planner(graph, seed).draw(moments_each);
}

}  // namespace tideline::demo
