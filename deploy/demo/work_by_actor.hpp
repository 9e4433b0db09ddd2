// Commands of one person, one after the other; those of different people, side by side. A person's
// position token grows with each of his commands, so two of them must not be under way at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "demo/worker_pool.hpp"
#include "demo/world.hpp"

namespace tideline::demo {

// Calls act(client, item, number of the item) for each of `items`; actor_of(item) is who acts.
template <class Item, class ActorOf, class Act>
void work_by_actor(WorkerPool& workers, const std::string& title, const std::vector<Item>& items,
                   const ActorOf& actor_of, const Act& act) {
  std::map<PersonIndex, std::vector<std::size_t>> by_person;
  for (std::size_t i = 0; i < items.size(); ++i) by_person[actor_of(items[i])].push_back(i);
  std::vector<std::vector<std::size_t>> queues;
  for (auto& [actor, numbers] : by_person) queues.push_back(std::move(numbers));
  // The longest first, so that nobody's long list is begun when the others are done.
  std::stable_sort(queues.begin(), queues.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  workers.work(
      title, queues.size(),
      [&](Client& client, std::size_t queue) {
        for (const std::size_t number : queues[queue]) {
          act(client, items[number], number);
          workers.step();
        }
      },
      0, items.size());
}

}  // namespace tideline::demo
