-- How often something that concerns somebody has been written: whoever keeps a count of his notifications asks for this number.
CREATE TABLE notification_change (
  owner uuid PRIMARY KEY,
  changes bigint NOT NULL
);
