// Fills the directory's facts (registered, closed) from the events of accounts, and destroys the
// subject keys of those who have closed theirs: in table subject_key of the same database, in the
// same transaction; with them goes what else they keep there. Used by one runner thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eventsourcing/projections/projection.hpp"

namespace tideline::people {

class PeopleProjection final : public eventsourcing::Projection {
 public:
  // Tables of the database whose rows belong to the account in their column `owner`.
  explicit PeopleProjection(std::vector<std::string> owned = {}) : owned_(std::move(owned)) {}

  std::string_view name() const override { return "people"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  std::vector<std::string> tables() const override { return {"person"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override { closed_by_account_.clear(); }

 private:
  void erase_closed(sql::Transaction& transaction) const;

  const std::vector<std::string> owned_;
  // Of the accounts that events since the last flush spoke of. Closed stays closed.
  std::map<core::AccountId, bool> closed_by_account_;
};

}  // namespace tideline::people
