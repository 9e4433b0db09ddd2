#include "accounts/projections/person_search.hpp"

#include <utility>
#include <variant>

#include "accounts/stored_events.hpp"
#include "blocks/blocks.hpp"
#include "eventsourcing/commands/decider.hpp"
#include "sql/columns.hpp"

namespace tideline::accounts {

search::Words words_of(const PublicProfile& profile) {
  return search::words_of(profile.user_id + "\n" + profile.real_name + "\n" + profile.department,
                          search::Match::Prefixes);
}

void PersonSearchProjection::load(sql::Transaction&) { latest_.clear(); }

void PersonSearchProjection::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::AccountRegistered, read::ProfileChanged, AccountClosed>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  std::visit(eventsourcing::Overloaded{
                 [&](const AccountClosed& closing) {
                   latest_[closing.account] = {std::nullopt, event.version};
                 },
                 [&](const auto& profile) {
                   latest_[profile.account] = {profile.sealed_profile, event.version};
                 },
             },
             *known);
}

// Of whom the key is gone nothing is known: the closing is still to come.
std::map<core::AccountId, std::vector<std::int64_t>> PersonSearchProjection::terms_of_latest() {
  std::vector<SealedProfile> sealed;
  std::map<core::AccountId, std::vector<std::int64_t>> terms;
  for (const auto& [account, latest] : latest_) {
    terms[account];
    if (latest.sealed) sealed.push_back({account, *latest.sealed});
  }
  auto opened = profiles_.open_public(sealed);
  if (!opened) throw sql::TransactionFailed(opened.error());
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    const auto& profile = (*opened)[i];
    if (!profile) continue;
    terms[sealed[i].account] =
        keys_.of(search::terms_of(words_of(*profile), search::Match::Prefixes));
  }
  return terms;
}

void PersonSearchProjection::flush(sql::Transaction& transaction) {
  if (latest_.empty()) return;
  sql::write_batch(
      transaction,
      "INSERT INTO person_search AS held (account_id, terms, version)"
      " SELECT account_id, terms::bigint[], version"
      " FROM unnest($1::uuid[], $2::text[], $3::bigint[])"
      " AS person (account_id, terms, version)"
      " ON CONFLICT (account_id) DO UPDATE"
      " SET terms = excluded.terms, version = excluded.version"
      " WHERE excluded.version > held.version",
      terms_of_latest(), sql::kKey,
      [&](const auto& entry) { return sql::kArrayText(entry.second); },
      [&](const auto& entry) { return latest_.at(entry.first).version; });
}

std::vector<FoundPerson> find_people(sql::Transaction& transaction,
                                     const std::vector<std::int64_t>& terms,
                                     const core::AccountId& viewer,
                                     const std::optional<core::AccountId>& after, int limit) {
  const std::string sql =
      "SELECT account.account_id, account.profile FROM person_search found"
      " JOIN account ON account.account_id = found.account_id"
      " WHERE found.terms @> $1::bigint[] AND found.account_id <> $2::uuid"
      " AND NOT account.closed AND account.profile IS NOT NULL AND NOT " +
      blocks::are_apart_sql("$2::uuid", "found.account_id") +
      (after ? " AND found.account_id > $4::uuid" : "") + " ORDER BY found.account_id LIMIT $3";
  sql::Params params{terms, viewer, limit};
  if (after) params.emplace_back(*after);
  std::vector<FoundPerson> people;
  for (const auto& row : transaction.execute(sql, params)) {
    people.push_back({row.account(0), row.text(1)});
  }
  return people;
}

}  // namespace tideline::accounts
