#include "scoring/projections/rating_projection.hpp"

#include "scoring/projections/events_read.hpp"
#include "sql/columns.hpp"

namespace tideline::scoring {

using sql::Transaction;

namespace {

constexpr auto kKindName = [](const RatingSubject& subject) { return name_of(subject.kind); };

}  // namespace

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
  } else if (const auto* withdrawn = std::get_if<read::ProjectWithdrawn>(&*fact)) {
    withdrawn_by_project_[withdrawn->project_id] = true;
  } else if (const auto* restored = std::get_if<read::ProjectRestored>(&*fact)) {
    withdrawn_by_project_[restored->project_id] = false;
  }
}

void RatingProjection::flush(Transaction& transaction) {
  flush_totals(transaction);
  flush_given(transaction);
  flush_projects(transaction);
  flush_closed(transaction);
  flush_withdrawn(transaction);
}

void RatingProjection::flushed() {
  deltas_.clear();
  stars_by_rater_.clear();
  authors_by_project_.clear();
  closed_.clear();
  withdrawn_by_project_.clear();
}

void RatingProjection::flush_totals(Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO rating AS held (kind, subject_id, ratings, stars)"
      " SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])"
      " ON CONFLICT (kind, subject_id) DO UPDATE"
      " SET ratings = held.ratings + excluded.ratings, stars = held.stars + excluded.stars",
      deltas_, kKindName, &RatingSubject::id, &RatingTotal::ratings, &RatingTotal::stars);
}

void RatingProjection::flush_given(Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO rating_given (rater, kind, subject_id, stars)"
                   " SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[])"
                   " ON CONFLICT (rater, kind, subject_id) DO UPDATE SET stars = excluded.stars",
                   stars_by_rater_, &Given::first, sql::at(&Given::second, kKindName),
                   sql::at(&Given::second, &RatingSubject::id), sql::kValue);
}

void RatingProjection::flush_projects(Transaction& transaction) const {
  sql::write_batch(
      transaction,
      "INSERT INTO rated_project (project_id, author)"
      " SELECT * FROM unnest($1::text[], $2::uuid[]) ON CONFLICT (project_id) DO NOTHING",
      authors_by_project_, sql::kKey, sql::kValue);
}

void RatingProjection::flush_closed(Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO rating (kind, subject_id, closed)"
                   " SELECT 'person', id, true FROM unnest($1::text[]) AS id"
                   " ON CONFLICT (kind, subject_id) DO UPDATE SET closed = true",
                   closed_, &core::AccountId::to_string);
}

void RatingProjection::flush_withdrawn(Transaction& transaction) const {
  sql::write_batch(transaction,
                   "INSERT INTO rating (kind, subject_id, closed)"
                   " SELECT 'project', * FROM unnest($1::text[], $2::boolean[])"
                   " ON CONFLICT (kind, subject_id) DO UPDATE SET closed = excluded.closed",
                   withdrawn_by_project_, sql::kKey, sql::kValue);
}

}  // namespace tideline::scoring
