#include "scoring/projections/rating_projection.hpp"

#include <vector>

#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {

using sql::Transaction;

void RatingProjection::load(Transaction&) { flushed(); }

void RatingProjection::apply(const eventsourcing::RecordedEvent& event) {
  const auto fact = read_fact(event);
  if (!fact) return;
  if (const auto* rated = std::get_if<Rated>(&*fact)) {
    RatingTotal& delta = deltas_[rated->subject];
    delta.stars += rated->stars - rated->before;
    if (rated->before == 0) ++delta.ratings;
    stars_by_rater_[{rated->rater, rated->subject}] = rated->stars;
  } else if (const auto* created = std::get_if<read::ProjectCreated>(&*fact)) {
    authors_by_project_[created->project_id] = created->author;
  } else if (const auto* closed = std::get_if<read::AccountClosed>(&*fact)) {
    closed_.insert(closed->account);
  }
}

void RatingProjection::flush(Transaction& transaction) {
  flush_totals(transaction);
  flush_given(transaction);
  flush_projects(transaction);
  flush_closed(transaction);
}

void RatingProjection::flushed() {
  deltas_.clear();
  stars_by_rater_.clear();
  authors_by_project_.clear();
  closed_.clear();
}

void RatingProjection::flush_totals(Transaction& transaction) const {
  if (deltas_.empty()) return;
  std::vector<std::string_view> kinds;
  std::vector<std::string> ids;
  std::vector<std::int64_t> ratings;
  std::vector<std::int64_t> stars;
  for (const auto& [subject, delta] : deltas_) {
    kinds.push_back(name_of(subject.kind));
    ids.push_back(subject.id);
    ratings.push_back(delta.ratings);
    stars.push_back(delta.stars);
  }
  transaction.execute(
      "INSERT INTO rating AS held (kind, subject_id, ratings, stars)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])"
      " ON CONFLICT (kind, subject_id) DO UPDATE"
      " SET ratings = held.ratings + excluded.ratings, stars = held.stars + excluded.stars",
      {kinds, ids, ratings, stars});
}

void RatingProjection::flush_given(Transaction& transaction) const {
  if (stars_by_rater_.empty()) return;
  std::vector<core::AccountId> raters;
  std::vector<std::string_view> kinds;
  std::vector<std::string> ids;
  std::vector<std::int64_t> stars;
  for (const auto& [given, latest] : stars_by_rater_) {
    raters.push_back(given.first);
    kinds.push_back(name_of(given.second.kind));
    ids.push_back(given.second.id);
    stars.push_back(latest);
  }
  transaction.execute(
      "INSERT INTO rating_given (rater, kind, subject_id, stars)"
      " SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[])"
      " ON CONFLICT (rater, kind, subject_id) DO UPDATE SET stars = excluded.stars",
      {raters, kinds, ids, stars});
}

void RatingProjection::flush_projects(Transaction& transaction) const {
  if (authors_by_project_.empty()) return;
  std::vector<std::string> projects;
  std::vector<core::AccountId> authors;
  for (const auto& [project, author] : authors_by_project_) {
    projects.push_back(project);
    authors.push_back(author);
  }
  transaction.execute(
      "INSERT INTO rated_project (project_id, author)"
      " SELECT * FROM unnest($1::text[], $2::uuid[]) ON CONFLICT (project_id) DO NOTHING",
      {projects, authors});
}

void RatingProjection::flush_closed(Transaction& transaction) const {
  if (closed_.empty()) return;
  std::vector<std::string> ids;
  for (const core::AccountId& account : closed_) ids.push_back(account.to_string());
  transaction.execute(
      "INSERT INTO rating (kind, subject_id, closed)"
      " SELECT 'person', id, true FROM unnest($1::text[]) AS id"
      " ON CONFLICT (kind, subject_id) DO UPDATE SET closed = true",
      {ids});
}

}  // namespace tideline::scoring
