// The read model of the whole service: projects, comments, advice, documents and votes, from this
// service's own events. One projection, and so one checkpoint: a query that has waited for a token
// sees all tables at it. Called by one runner thread.
#pragma once

#include "eventsourcing/projections/projection.hpp"
#include "projects/projections/advice_model.hpp"
#include "projects/projections/comment_model.hpp"
#include "projects/projections/document_model.hpp"
#include "projects/projections/project_model.hpp"
#include "projects/projections/voting_model.hpp"

namespace tideline::projects {

class ProjectsProjection final : public eventsourcing::Projection {
 public:
  std::string_view name() const override { return "projects"; }
  std::vector<std::string> sources() const override { return {"projects"}; }
  std::vector<std::string> tables() const override {
    return {"project",      "project_by_author", "project_by_label", "comment", "advice",
            "advice_count", "document",          "voting",           "vote"};
  }
  void load(sql::Transaction& transaction) override;
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  ProjectModel projects_;
  CommentModel comments_;
  AdviceModel advice_;
  DocumentModel documents_;
  VotingModel votes_;
};

}  // namespace tideline::projects
