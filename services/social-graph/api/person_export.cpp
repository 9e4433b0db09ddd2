#include "social-graph/api/person_export.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

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
using http::Json;
using sql::PersonSince;
using sql::Place;
using sql::Slice;
using sql::Transaction;
using sql::Window;

constexpr int kPage = 1'000;

AccountId id_of(const PersonSince& item) { return item.account; }
AccountId id_of(const ListedContact& item) { return item.account; }
std::string id_of(const ListedTag& item) { return item.tag_id; }
std::string id_of(const ListedGroup& item) { return item.group_id; }

// `list` gives one page of a window.
template <class Id, class List>
auto all_of(const List& list) {
  Window<Id> window{.before = {}, .after = {}, .limit = kPage};
  auto slice = list(window);
  auto items = slice.items;
  while (slice.more_after) {
    window.after = Place<Id>{items.back().since, id_of(items.back())};
    slice = list(window);
    items.insert(items.end(), slice.items.begin(), slice.items.end());
  }
  return items;
}

struct HeldTag {
  ListedTag tag;
  std::vector<PersonSince> people;
};
struct HeldGroup {
  ListedGroup group;
  bool is_admin = false;
};

// As the tables hold it, for the names are opened when the snapshot is closed.
struct Held {
  std::vector<ListedContact> contacts;
  std::vector<PersonSince> incoming, outgoing, following, blocked, hidden, hidden_from;
  std::vector<HeldTag> tags;
  std::vector<HeldGroup> groups;
  std::vector<AccountId> dismissed;
  CountAudience counts_shown_to = CountAudience::Nobody;
  std::map<AccountId, people::Person> people;
};

void read_groups(Transaction& transaction, const AccountId& me, Held& held) {
  const auto groups = all_of<std::string>([&](const Window<std::string>& window) {
    return list_groups(transaction, me, Membership::Phase::Member, window);
  });
  for (const ListedGroup& group : groups) {
    held.groups.push_back({group, find_membership(transaction, group.group_id, me).is_admin});
  }
}

void read_tags(Transaction& transaction, const AccountId& me, Held& held) {
  const auto tags = all_of<std::string>(
      [&](const Window<std::string>& window) { return list_tags(transaction, me, window); });
  for (const ListedTag& tag : tags) {
    held.tags.push_back({tag, all_of<AccountId>([&](const Window<AccountId>& window) {
                           return list_tagged(transaction, me, tag.tag_id, window);
                         })});
  }
}

void read_people(Transaction& transaction, const people::PeopleDirectory& people, Held& held) {
  std::set<AccountId> named(held.dismissed.begin(), held.dismissed.end());
  for (const auto& contact : held.contacts) named.insert(contact.account);
  for (const auto* list : {&held.incoming, &held.outgoing, &held.following, &held.blocked,
                           &held.hidden, &held.hidden_from}) {
    for (const auto& item : *list) named.insert(item.account);
  }
  for (const auto& tag : held.tags) {
    for (const auto& item : tag.people) named.insert(item.account);
  }
  for (const auto& one : held.groups) named.insert(one.group.creator);
  held.people = people.find_many(transaction, std::vector<AccountId>(named.begin(), named.end()));
}

Held read_all(Transaction& transaction, const people::PeopleDirectory& people,
              const AccountId& me) {
  const auto listed = [&](const auto& list) {
    return all_of<AccountId>([&](const Window<AccountId>& window) { return list(window); });
  };
  const auto related = [&](Relation relation) {
    return listed([&, relation](const Window<AccountId>& window) {
      return list_related(transaction, me, relation, window);
    });
  };
  const auto settings = [&](SettingList which) {
    return listed([&, which](const Window<AccountId>& window) {
      return list_settings(transaction, me, which, window);
    });
  };
  Held held;
  held.contacts =
      listed([&](const Window<AccountId>& w) { return list_contacts(transaction, me, w); });
  held.incoming = related(Relation::Incoming);
  held.outgoing = related(Relation::Outgoing);
  held.following = listed([&](const Window<AccountId>& window) {
    return list_follows(transaction, me, FollowDirection::Following, window);
  });
  held.blocked =
      listed([&](const Window<AccountId>& w) { return list_blocked(transaction, me, w); });
  held.hidden = settings(SettingList::Hidden);
  held.hidden_from = settings(SettingList::HiddenFrom);
  held.dismissed = list_dismissed(transaction, me);
  held.counts_shown_to = find_count_audience(transaction, me);
  read_tags(transaction, me, held);
  read_groups(transaction, me, held);
  read_people(transaction, people, held);
  return held;
}

class Writer {
 public:
  Writer(crypto::SubjectCipher& cipher, const AccountId& me, const Held& held)
      : cipher_(cipher), me_(me), held_(held) {}

  Json write() const {
    return {{"contacts", contacts()},
            {"contact_requests",
             {{"incoming", people(held_.incoming)}, {"outgoing", people(held_.outgoing)}}},
            {"following", people(held_.following)},
            {"counts_shown_to", to_string(held_.counts_shown_to)},
            {"blocks", people(held_.blocked)},
            {"moment_settings",
             {{"hidden", people(held_.hidden)}, {"hidden_from", people(held_.hidden_from)}}},
            {"dismissed_suggestions", dismissed()},
            {"tags", tags()},
            {"groups", groups()}};
  }

 private:
  template <class Item>
  Json person(const Item& item) const {
    Json entry = people::person_json(held_.people, item.account);
    entry["since"] = core::format_iso8601(item.since);
    return entry;
  }
  Json people(const std::vector<PersonSince>& items) const {
    Json entries = Json::array();
    for (const PersonSince& item : items) entries.push_back(person(item));
    return entries;
  }
  Json opened(const AccountId& author, const std::string& sealed, std::string_view context) const {
    const auto text = core::value_of(cipher_.open(author, sealed, context));
    return text ? Json(*text) : Json(nullptr);
  }
  Json contacts() const {
    Json entries = Json::array();
    for (const ListedContact& contact : held_.contacts) {
      entries.push_back(person(contact));
      entries.back()["remark"] =
          contact.sealed_remark
              ? opened(me_, *contact.sealed_remark, Stored<ContactRemarked>::kRemarkContext)
              : Json(nullptr);
    }
    return entries;
  }
  Json dismissed() const {
    Json entries = Json::array();
    for (const AccountId& account : held_.dismissed) {
      entries.push_back(people::person_json(held_.people, account));
    }
    return entries;
  }
  Json tags() const {
    Json entries = Json::array();
    for (const auto& [tag, tagged] : held_.tags) {
      entries.push_back({{"id", tag.tag_id},
                         {"name", opened(me_, tag.sealed_name, Stored<TagCreated>::kNameContext)},
                         {"created_at", core::format_iso8601(tag.created_at)},
                         {"contacts", people(tagged)}});
    }
    return entries;
  }
  Json groups() const {
    Json entries = Json::array();
    for (const auto& [group, is_admin] : held_.groups) {
      const bool mine = group.creator == me_;
      entries.push_back(
          {{"id", group.group_id},
           {"name", opened(group.creator, group.sealed_name, Stored<GroupCreated>::kNameContext)},
           {"private", group.is_private},
           {"history", to_string(group.history)},
           {"creator", people::person_json(held_.people, group.creator)},
           {"role", mine       ? "creator"
                    : is_admin ? "admin"
                               : "member"},
           {"created_at", core::format_iso8601(group.created_at)},
           {"since", core::format_iso8601(group.since)}});
    }
    return entries;
  }

  crypto::SubjectCipher& cipher_;
  const AccountId& me_;
  const Held& held_;
};

}  // namespace

core::Result<Json> export_person(sql::Database& database, crypto::SubjectCipher& cipher,
                                 const people::PeopleDirectory& people, const AccountId& account) {
  const auto held = database.read(
      [&](Transaction& transaction) { return read_all(transaction, people, account); });
  if (!held) return held.error();
  try {
    return Writer(cipher, account, *held).write();
  } catch (const core::Failed& failed) {
    return failed.error();
  }
}

}  // namespace tideline::social_graph
