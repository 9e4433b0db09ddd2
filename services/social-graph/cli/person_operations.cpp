#include "social-graph/cli/person_operations.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/composition.hpp"
#include "social-graph/api/export_sections.hpp"
#include "social-graph/projections/tag_queries.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;

constexpr int kPage = 1'000;

int failed(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

int export_one(runtime::RunningService& service, const std::string& user_id) {
  const AccountId account = service.account_ids().of(user_id);
  const auto known = service.database().read(
      [&](sql::Transaction& transaction) { return service.people().find(transaction, account); });
  if (!known) return failed(known.error().message);
  if (!*known) return failed(user_id + ": nobody has registered this user_id");
  http::Json exported{{"user_id", user_id}};
  try {
    for (const auto& section :
         export_sections({service.database(), service.cipher(), service.people()})) {
      auto& items = exported[section.name] = http::Json::array();
      std::optional<std::string> place = "";
      while (place) {
        auto slice = section.read(account, *place, kPage);
        for (auto& item : slice.items) items.push_back(std::move(item));
        place = slice.next;
      }
    }
  } catch (const core::Failed& away) {
    return failed(away.error().message);
  }
  std::printf("%s\n", exported.dump(2).c_str());
  return 0;
}

int list_tagged_by(runtime::RunningService& service, const std::string& user_id) {
  const AccountId account = service.account_ids().of(user_id);
  sql::Window<std::string> window{.before = {}, .after = {}, .limit = kPage};
  while (true) {
    std::map<AccountId, people::Person> owners;
    const auto page = service.database().read([&](sql::Transaction& transaction) {
      auto found = list_tagging(transaction, account, window);
      std::vector<AccountId> accounts;
      for (const TagOnPerson& tag : found.items) accounts.push_back(tag.owner);
      owners = service.people().find_many(transaction, accounts);
      return found;
    });
    if (!page) return failed(page.error().message);
    for (const TagOnPerson& tag : page->items) {
      const auto owner = owners.find(tag.owner);
      const bool is_known = owner != owners.end() && owner->second.user_id;
      std::printf("%s %s %s\n", (is_known ? *owner->second.user_id : tag.owner.to_string()).c_str(),
                  tag.tag_id.c_str(), core::format_iso8601(tag.since).c_str());
    }
    if (!page->more_after) return 0;
    window.after = {page->items.back().since, page->items.back().tag_id};
  }
}

runtime::Operation about_person(
    std::string name, std::string summary,
    const std::function<int(runtime::RunningService&, const std::string&)>& run) {
  return {std::move(name), std::move(summary), [run](CLI::App& command) -> runtime::Operation::Run {
            auto user_id = std::make_shared<std::string>();
            command.add_option("USER_ID", *user_id)->required();
            return [run, user_id](runtime::RunningService& service, std::stop_token) {
              return run(service, *user_id);
            };
          }};
}

}  // namespace

runtime::Operation export_operation() {
  return about_person("export", "print what a person has written and set here, as JSON",
                      export_one);
}

runtime::Operation tagged_by_operation() {
  return about_person("tagged-by", "list who has tagged a person, who must not learn of it",
                      list_tagged_by);
}

}  // namespace tideline::social_graph
