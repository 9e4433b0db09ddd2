-- The three projections of this service's own events become one, "feed". It begins where the slowest of them was: what
-- the others have applied already changes nothing when it is applied again.

INSERT INTO projection_checkpoint (projection, service, log, next_offset, position, generation)
SELECT 'feed', service, log, min(next_offset), min(position), 0
FROM projection_checkpoint WHERE projection IN ('moments', 'interactions', 'messages')
GROUP BY service, log HAVING count(*) = 3;

UPDATE dead_letter SET projection = 'feed' WHERE (projection, service, log, position) IN (
  SELECT min(projection), service, log, position FROM dead_letter
  WHERE projection IN ('moments', 'interactions', 'messages') GROUP BY service, log, position);

UPDATE dead_letter_skip SET projection = 'feed' WHERE (projection, service, log, position) IN (
  SELECT min(projection), service, log, position FROM dead_letter_skip
  WHERE projection IN ('moments', 'interactions', 'messages') GROUP BY service, log, position);

DELETE FROM projection_checkpoint WHERE projection IN ('moments', 'interactions', 'messages');
DELETE FROM dead_letter WHERE projection IN ('moments', 'interactions', 'messages');
DELETE FROM dead_letter_skip WHERE projection IN ('moments', 'interactions', 'messages');
