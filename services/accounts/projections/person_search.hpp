// People by name, student number and department: table person_search, from this service's own
// events. Names lie sealed in them, and are opened for the flush alone; the table has keyed hashes
// of their words. Called by one runner thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/projections/profile_feed.hpp"
#include "core/ids.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "search/term_keys.hpp"
#include "search/terms.hpp"

namespace tideline::accounts {

// The words that a person is found by.
search::Words words_of(const PublicProfile& profile);

inline constexpr std::string_view kPersonTermContext = "Person.term";

class PersonSearchProjection final : public eventsourcing::Projection {
 public:
  // `profiles` must outlive it, and what makes the keys.
  PersonSearchProjection(ProfileKeys& profiles, search::TermKeys keys)
      : profiles_(profiles), keys_(std::move(keys)) {}

  std::string_view name() const override { return "person-search"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  std::vector<std::string> tables() const override { return {"person_search"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  // Throws TransactionFailed when the names cannot be opened.
  void flush(sql::Transaction& transaction) override;
  void flushed() override { latest_.clear(); }

 private:
  struct Latest {
    std::optional<std::string> sealed;  // nullopt: closed
    core::StreamVersion version;
  };

  std::map<core::AccountId, std::vector<std::int64_t>> terms_of_latest();

  ProfileKeys& profiles_;
  search::TermKeys keys_;
  std::map<core::AccountId, Latest> latest_;
};

struct FoundPerson {
  core::AccountId account;
  std::string sealed_profile;
};

// Open accounts that have all the terms, in the order of their ids behind `after`; never across a
// block from `viewer`, nor that viewer. In the caller's transaction; any thread.
std::vector<FoundPerson> find_people(sql::Transaction& transaction,
                                     const std::vector<std::int64_t>& terms,
                                     const core::AccountId& viewer,
                                     const std::optional<core::AccountId>& after, int limit);

}  // namespace tideline::accounts
