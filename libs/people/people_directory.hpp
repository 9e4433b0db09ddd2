// Who is who: the directory of people that every service keeps in its own database.
//
// That somebody exists, and that his account is closed, comes from the events of accounts, so that
// a position token covers it. Names come from the compacted topic of public profiles (newest
// version wins, a tombstone erases) and may arrive a little later: a name that is not known yet is
// nullopt.
//
// Queries run inside the caller's transaction. Thread-safe.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/ids.hpp"
#include "sql/transaction.hpp"

namespace tideline::people {

struct Person {
  core::AccountId account;
  std::optional<std::string> user_id;
  std::optional<std::string> real_name;
  std::optional<std::string> department;
  bool closed = false;
  std::optional<std::string> avatar{};  // content hash
};

class PeopleDirectory {
 public:
  // nullopt: nobody has registered this account id.
  std::optional<Person> find(sql::Transaction& transaction, const core::AccountId& account) const;
  // Those of `accounts` that are known; repeats are allowed.
  std::map<core::AccountId, Person> find_many(sql::Transaction& transaction,
                                              std::span<const core::AccountId> accounts) const;
};

// Table person, hash-partitioned by account id, and then what is known by the topic of profiles in
// a table of its own, person_profile: each has one writer, so that either can be built anew. At
// last the avatars: content hashes, '' of whom the topic has not told any. Run by the runtime's
// migrations, in this order.
extern const char* const kPersonTableSql;
extern const char* const kPersonProfileTableSql;
extern const char* const kPersonAvatarSql;

}  // namespace tideline::people
