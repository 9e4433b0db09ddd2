#include "projects/projections/projects_projection.hpp"

namespace tideline::projects {

void ProjectsProjection::load(sql::Transaction&) { flushed(); }

// Each model takes the events that it knows and leaves the others.
void ProjectsProjection::apply(const eventsourcing::RecordedEvent& event) {
  projects_.apply(event);
  comments_.apply(event);
  advice_.apply(event);
  documents_.apply(event);
  votes_.apply(event);
}

void ProjectsProjection::flush(sql::Transaction& transaction) {
  projects_.flush(transaction);
  comments_.flush(transaction);
  advice_.flush(transaction);
  documents_.flush(transaction);
  votes_.flush(transaction);
}

void ProjectsProjection::flushed() {
  projects_.clear();
  comments_.clear();
  advice_.clear();
  documents_.clear();
  votes_.clear();
}

}  // namespace tideline::projects
