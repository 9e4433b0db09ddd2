// Fills the directory's facts (registered, closed) from the events of accounts, and destroys the
// subject keys of those who have closed theirs: in table subject_key of the same database, in the
// same transaction. Used by one runner thread.
#pragma once

#include <map>

#include "eventsourcing/projections/projection.hpp"

namespace tideline::people {

class PeopleProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "people"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  std::vector<std::string> tables() const override { return {"person"}; }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override { closed_by_account_.clear(); }

 private:
  void destroy_keys_of_closed(sql::Transaction& transaction) const;

  // Of the accounts that events since the last flush spoke of. Closed stays closed.
  std::map<core::AccountId, bool> closed_by_account_;
};

}  // namespace tideline::people
