#include "feed/api/named_people.hpp"

#include <set>

namespace tideline::feed {
PeopleByAccount find_registered(const ApiPorts& ports, const http::Request& request,
                                const std::vector<core::AccountId>& accounts) {
  http::await_models(request, {ports.people_applied});
  auto found = core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
    return ports.people.find_many(transaction, accounts);
  }));
  if (found.size() != std::set(accounts.begin(), accounts.end()).size())
    http::refuse(http::no_such_person());
  return found;
}

}  // namespace tideline::feed
