-- Which moment somebody's page shows first.

CREATE TABLE pinned_moment (
  author uuid PRIMARY KEY,
  moment bigint NOT NULL
);
