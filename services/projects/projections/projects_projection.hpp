// The read model of the whole service: projects, comments, advice, documents and votes, from this
// service's own events. Called by one runner thread.
#pragma once

#include "eventsourcing/projections/model_projection.hpp"
#include "projects/projections/advice_model.hpp"
#include "projects/projections/comment_model.hpp"
#include "projects/projections/document_model.hpp"
#include "projects/projections/project_model.hpp"
#include "projects/projections/voting_model.hpp"

namespace tideline::projects {

class ProjectsProjection final
    : public eventsourcing::ModelProjection<ProjectModel, CommentModel, AdviceModel, DocumentModel,
                                            VotingModel> {
 public:
  std::string_view name() const override { return "projects"; }
  std::vector<std::string> sources() const override { return {"projects"}; }
};

}  // namespace tideline::projects
