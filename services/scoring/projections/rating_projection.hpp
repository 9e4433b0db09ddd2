// The read model of ratings: tables rating (sums by subject), rating_given (by rater) and
// rated_project (who may not rate it, and that it exists). Called by one runner thread.
//
// A subject's sums are fed by the streams of all its raters, so by deltas alone: a rating adds its
// stars less those it replaces, and counts where it replaces none. What a rater gave is fed by one
// stream, whose latest event says it. What is closed is in no list: people whose account is, and
// projects while they are withdrawn.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "eventsourcing/projections/projection.hpp"
#include "scoring/domain/rating.hpp"

namespace tideline::scoring {

class RatingProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "ratings"; }
  std::vector<std::string> sources() const override { return {"scoring", "projects", "accounts"}; }
  std::vector<std::string> tables() const override {
    return {"rating", "rating_given", "rated_project"};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  using Given = std::pair<core::AccountId, RatingSubject>;  // by whom, of what

  void flush_totals(sql::Transaction& transaction) const;
  void flush_given(sql::Transaction& transaction) const;
  void flush_projects(sql::Transaction& transaction) const;
  void flush_closed(sql::Transaction& transaction) const;
  void flush_withdrawn(sql::Transaction& transaction) const;

  // Since the last flush.
  std::map<RatingSubject, RatingTotal> deltas_;
  std::map<Given, std::int64_t> stars_by_rater_;
  std::map<std::string, core::AccountId> authors_by_project_;
  std::set<core::AccountId> closed_;
  std::map<std::string, bool> withdrawn_by_project_;
};

}  // namespace tideline::scoring
