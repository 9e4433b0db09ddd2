#include "people/people_directory.hpp"

#include <algorithm>
#include <vector>

namespace tideline::people {
namespace {

// What events say and what the topic of profiles says come in either order. `which` is a condition
// on account_id, put into both sides so that each reads only the partitions of the people asked
// for.
std::string select_people(const std::string& which) {
  return "SELECT account_id, user_id, real_name, department,"
         " coalesce(fact.closed, false) OR coalesce(profile.closed, false),"
         " nullif(avatar, '')"
         " FROM (SELECT account_id, closed FROM person WHERE " +
         which +
         ") fact FULL JOIN (SELECT account_id, user_id, real_name, department, closed, avatar"
         " FROM person_profile WHERE " +
         which + ") profile USING (account_id)";
}

Person to_person(const sql::Row& row) {
  return {row.account(0),       row.nullable_text(1), row.nullable_text(2),
          row.nullable_text(3), row.boolean(4),       row.nullable_text(5)};
}

}  // namespace

std::optional<Person> PeopleDirectory::find(sql::Transaction& transaction,
                                            const core::AccountId& account) const {
  const auto rows = transaction.execute(select_people("account_id = $1::uuid"), {account});
  if (rows.empty()) return std::nullopt;
  return to_person(rows[0]);
}

std::map<core::AccountId, Person> PeopleDirectory::find_many(
    sql::Transaction& transaction, std::span<const core::AccountId> accounts) const {
  std::map<core::AccountId, Person> people;
  if (accounts.empty()) return people;
  std::vector<core::AccountId> wanted(accounts.begin(), accounts.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto rows = transaction.execute(select_people("account_id = ANY($1::uuid[])"), {wanted});
  for (const auto& row : rows) people.emplace(row.account(0), to_person(row));
  return people;
}

const char* const kPersonTableSql = R"sql(
CREATE TABLE person (
  account_id uuid NOT NULL PRIMARY KEY,
  registered boolean NOT NULL DEFAULT false,
  closed boolean NOT NULL DEFAULT false,
  user_id text,
  real_name text,
  department text,
  profile_version bigint NOT NULL DEFAULT 0
) PARTITION BY HASH (account_id);
DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE person_%s PARTITION OF person FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;
)sql";

const char* const kPersonProfileTableSql = R"sql(
CREATE TABLE person_profile (
  account_id uuid NOT NULL PRIMARY KEY,
  version bigint NOT NULL,
  user_id text,
  real_name text,
  department text,
  closed boolean NOT NULL
) PARTITION BY HASH (account_id);
DO $$
BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE person_profile_%s PARTITION OF person_profile'
      ' FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;
INSERT INTO person_profile
  SELECT account_id, profile_version, user_id, real_name, department, closed FROM person
  WHERE profile_version > 0;
DELETE FROM person WHERE NOT registered;
ALTER TABLE person DROP COLUMN registered, DROP COLUMN user_id, DROP COLUMN real_name,
  DROP COLUMN department, DROP COLUMN profile_version, ALTER COLUMN closed DROP DEFAULT;
)sql";

const char* const kPersonAvatarSql = R"sql(
ALTER TABLE person_profile ADD COLUMN avatar text COLLATE "C";
)sql";

}  // namespace tideline::people
