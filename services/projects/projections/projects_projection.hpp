// The read model of the whole service: projects, comments, advice, documents and votes, from this
// service's own events. Called by one runner thread.
#pragma once

#include <array>

#include "eventsourcing/projections/model_projection.hpp"
#include "projects/projections/advice_model.hpp"
#include "projects/projections/comment_model.hpp"
#include "projects/projections/document_model.hpp"
#include "projects/projections/project_model.hpp"
#include "projects/projections/voting_model.hpp"
#include "sql/day_counts.hpp"

namespace tideline::projects {

// Visits by campus day: a visitor has a stream for each of them, of one event.
class VisitModel {
 public:
  static constexpr std::array kTables{"project_visit_count"};

  void apply(const eventsourcing::RecordedEvent& event) {
    const auto visited = eventsourcing::read_as<ProjectVisited>(event);
    if (visited) counter_.add(visited->project_id, visited->day);
  }
  void flush(sql::Transaction& transaction) const { counter_.flush(transaction); }
  void clear() { counter_.clear(); }

 private:
  sql::DayCounter counter_{kTables[0]};
};

class ProjectsProjection final
    : public eventsourcing::ModelProjection<ProjectModel, CommentModel, AdviceModel, DocumentModel,
                                            VotingModel, VisitModel> {
 public:
  std::string_view name() const override { return "projects"; }
  std::vector<std::string> sources() const override { return {"projects"}; }
};

}  // namespace tideline::projects
