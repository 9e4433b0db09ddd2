#include "social-graph/api/export_sections.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "http/messages/json.hpp"
#include "people/person_json.hpp"
#include "social-graph/projections/acquaintance_queries.hpp"
#include "social-graph/projections/block_queries.hpp"
#include "social-graph/projections/contact_queries.hpp"
#include "social-graph/projections/group_queries.hpp"
#include "social-graph/projections/moment_setting_queries.hpp"
#include "social-graph/projections/tag_queries.hpp"
#include "social-graph/stored_events.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Stored;
using http::ExportSlice;
using http::Json;
using sql::PersonSince;
using sql::Place;
using sql::Transaction;
using sql::Window;
using People = std::map<AccountId, people::Person>;

// Who an item is about, and what tells it apart from others of one time.
AccountId person_of(const PersonSince& item) { return item.account; }
AccountId person_of(const ListedContact& item) { return item.account; }
AccountId person_of(const ListedGroup& item) { return item.creator; }
AccountId person_of(const HeldTagging& item) { return item.account; }
AccountId place_of(const PersonSince& item) { return item.account; }
AccountId place_of(const ListedContact& item) { return item.account; }
std::string place_of(const ListedGroup& item) { return item.group_id; }
std::string place_of(const ListedTag& item) { return item.tag_id; }

template <class Id>
std::optional<Place<Id>> parse_place(const std::string& text) {
  if constexpr (std::is_same_v<Id, AccountId>) {
    return sql::parse_account_place(text);
  } else {
    return sql::parse_id_place(text);
  }
}

Json person_since(const People& people, const AccountId& account, core::Timestamp since) {
  Json entry = people::person_json(people, account);
  entry["since"] = core::format_iso8601(since);
  return entry;
}

class Sections {
 public:
  explicit Sections(const ExportPorts& ports) : ports_(ports) {}

  // A list that pages by key. `list` reads a window of it, `to_json` makes an item of it and of the
  // people that items are about.
  template <class Id, class List, class ToJson>
  http::ReadExport paged(const List& list, const ToJson& to_json) const {
    return [ports = ports_, list, to_json](const AccountId& owner, const std::string& place,
                                           int limit) -> ExportSlice {
      Window<Id> window{.before = {}, .after = {}, .limit = limit};
      if (!place.empty() && !(window.after = parse_place<Id>(place))) http::refuse_export_place();
      const auto [slice, people] =
          core::value_of(ports.database.read([&](Transaction& transaction) {
            auto found = list(transaction, owner, window);
            auto named = named_in(ports, transaction, found.items);
            return std::pair{std::move(found), std::move(named)};
          }));
      ExportSlice exported;
      for (const auto& item : slice.items) exported.items.push_back(to_json(owner, item, people));
      if (slice.more_after) {
        const auto& last = slice.items.back();
        exported.next = sql::place_text(Place<Id>{last.since, place_of(last)});
      }
      return exported;
    };
  }
  template <class List>
  http::ReadExport people(const List& list) const {
    return paged<AccountId>(list,
                            [](const AccountId&, const PersonSince& item, const People& people) {
                              return person_since(people, item.account, item.since);
                            });
  }

  http::ReadExport contacts() const {
    return paged<AccountId>(
        list_contacts, [*this](const AccountId& owner, const auto& item, const People& people) {
          Json entry = person_since(people, item.account, item.since);
          entry["remark"] = item.sealed_remark ? opened(owner, *item.sealed_remark,
                                                        Stored<ContactRemarked>::kRemarkContext)
                                               : Json(nullptr);
          return entry;
        });
  }

  http::ReadExport tags() const {
    return paged<std::string>(
        list_tags, [*this](const AccountId& owner, const auto& item, const People&) -> Json {
          return {{"id", item.tag_id},
                  {"name", opened(owner, item.sealed_name, Stored<TagCreated>::kNameContext)},
                  {"created_at", core::format_iso8601(item.created_at)}};
        });
  }

  // The place is "<tag>/<account>", which selects among the owner's own alone.
  http::ReadExport tagged() const {
    return [ports = ports_](const AccountId& owner, const std::string& place,
                            int limit) -> ExportSlice {
      HeldTagging after;
      if (!place.empty()) {
        const auto slash = place.find('/');
        const auto account =
            slash == std::string::npos ? std::nullopt : AccountId::parse(place.substr(slash + 1));
        if (!account) http::refuse_export_place();
        after = {place.substr(0, slash), *account, {}};
      }
      const auto [taggings, people] =
          core::value_of(ports.database.read([&](Transaction& transaction) {
            auto found = list_taggings_of(transaction, owner, after, limit);
            auto named = named_in(ports, transaction, found);
            return std::pair{std::move(found), std::move(named)};
          }));
      ExportSlice exported;
      for (const HeldTagging& item : taggings) {
        Json entry = person_since(people, item.account, item.since);
        entry["tag_id"] = item.tag_id;
        exported.items.push_back(std::move(entry));
      }
      if (std::ssize(taggings) == limit) {
        exported.next = taggings.back().tag_id + "/" + taggings.back().account.to_string();
      }
      return exported;
    };
  }

  http::ReadExport groups() const {
    return paged<std::string>(
        [](Transaction& transaction, const AccountId& owner, const Window<std::string>& window) {
          return list_groups(transaction, owner, Membership::Phase::Member, window);
        },
        [*this](const AccountId&, const ListedGroup& group, const People& people) -> Json {
          return {{"id", group.group_id},
                  {"name",
                   opened(group.creator, group.sealed_name, Stored<GroupCreated>::kNameContext)},
                  {"private", group.is_private},
                  {"history", to_string(group.history)},
                  {"creator", people::person_json(people, group.creator)},
                  {"created_at", core::format_iso8601(group.created_at)},
                  {"since", core::format_iso8601(group.since)}};
        });
  }

  http::ReadExport dismissed() const {
    return [ports = ports_](const AccountId& owner, const std::string& place,
                            int limit) -> ExportSlice {
      const auto after = place.empty() ? std::optional(AccountId{}) : AccountId::parse(place);
      if (!after) http::refuse_export_place();
      const auto [accounts, people] =
          core::value_of(ports.database.read([&](Transaction& transaction) {
            auto found = list_dismissed(transaction, owner, *after, limit);
            auto named = ports.people.find_many(transaction, found);
            return std::pair{std::move(found), std::move(named)};
          }));
      ExportSlice exported;
      for (const AccountId& account : accounts) {
        exported.items.push_back(people::person_json(people, account));
      }
      if (std::ssize(accounts) == limit) exported.next = accounts.back().to_string();
      return exported;
    };
  }

  http::ReadExport follow_setting() const {
    return [ports = ports_](const AccountId& owner, const std::string&, int) -> ExportSlice {
      const auto shown_to = core::value_of(ports.database.read(
          [&](Transaction& transaction) { return find_count_audience(transaction, owner); }));
      return {{Json{{"counts_shown_to", to_string(shown_to)}}}, std::nullopt};
    };
  }

 private:
  template <class Items>
  static People named_in(const ExportPorts& ports, Transaction& transaction, const Items& items) {
    if constexpr (requires { person_of(items.front()); }) {
      std::vector<AccountId> accounts;
      for (const auto& item : items) accounts.push_back(person_of(item));
      return ports.people.find_many(transaction, accounts);
    } else {
      return {};
    }
  }
  Json opened(const AccountId& author, const std::string& sealed, std::string_view context) const {
    const auto text = core::value_of(ports_.cipher.open(author, sealed, context));
    return text ? Json(*text) : Json(nullptr);
  }

  ExportPorts ports_;
};

}  // namespace

std::vector<http::ExportSection> export_sections(const ExportPorts& ports) {
  const Sections sections(ports);
  const auto settings = [&](SettingList which) {
    return sections.people(
        [which](Transaction& transaction, const AccountId& owner, const Window<AccountId>& window) {
          return list_settings(transaction, owner, which, window);
        });
  };
  const auto requests = [](Transaction& transaction, const AccountId& owner,
                           const Window<AccountId>& window) {
    return list_related(transaction, owner, Relation::Outgoing, window);
  };
  const auto following = [](Transaction& transaction, const AccountId& owner,
                            const Window<AccountId>& window) {
    return list_follows(transaction, owner, FollowDirection::Following, window);
  };
  return {{"contacts", sections.contacts()},
          {"contact_requests", sections.people(requests)},
          {"following", sections.people(following)},
          {"follow_settings", sections.follow_setting()},
          {"blocks", sections.people(list_blocked)},
          {"hidden", settings(SettingList::Hidden)},
          {"hidden_from", settings(SettingList::HiddenFrom)},
          {"dismissed_suggestions", sections.dismissed()},
          {"tags", sections.tags()},
          {"tagged_contacts", sections.tagged()},
          {"groups", sections.groups()}};
}

}  // namespace tideline::social_graph
