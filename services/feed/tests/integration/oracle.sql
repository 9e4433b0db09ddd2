-- The law of the feed engine once more, over plain tables and apart from all code of the service:
-- the two predicates, and the query that every timeline must equal. Many histories at once: h says
-- which. The test fills event and seen, and runs the statements one after the other.

-- What has been delivered, n-th in its history.
CREATE TABLE event (h int, n int, source text, log int, position bigint, type text, data jsonb);
-- What the writer of the n-th event had seen: in each log, up to this position.
CREATE TABLE seen (h int, n int, source text, log int, position bigint);
CREATE TABLE person (h int, id text);

-- Events whose writers had seen something that has not been delivered.
CREATE TABLE held AS
SELECT DISTINCT s.h, s.n FROM seen AS s
WHERE NOT EXISTS (SELECT FROM event AS d WHERE d.h = s.h AND d.source = s.source AND d.log = s.log
                  AND d.position >= s.position);

-- Of such an event it is in doubt what it says about a relation, and of both answers the one that
-- shows less is right.
CREATE TABLE doubt AS SELECT e.* FROM event AS e JOIN held USING (h, n);

-- What holds at the end, and is in no doubt.
CREATE TABLE contact AS
WITH changed AS (
  SELECT h, n, type, coalesce(data->>'from', data->>'by') AS one,
         coalesce(data->>'to', data->>'other') AS other
  FROM event WHERE type IN ('ContactAccepted', 'ContactRemoved')
), last AS (
  SELECT DISTINCT ON (h, least(one, other), greatest(one, other)) * FROM changed
  ORDER BY h, least(one, other), greatest(one, other), n DESC
), accepted AS (
  SELECT h, one, other FROM last
  WHERE type = 'ContactAccepted'
    AND NOT EXISTS (SELECT FROM doubt AS d WHERE d.h = last.h AND d.type = 'ContactAccepted'
                    AND (d.data->>'from', d.data->>'to') IN ((one, other), (other, one)))
)
SELECT h, one, other FROM accepted
UNION ALL
SELECT h, other, one FROM accepted;

CREATE TABLE follow AS
SELECT h, follower, followee FROM (
  SELECT DISTINCT ON (h, data->>'follower', data->>'followee')
         h, type, data->>'follower' AS follower, data->>'followee' AS followee
  FROM event WHERE type IN ('Followed', 'Unfollowed')
  ORDER BY h, data->>'follower', data->>'followee', n DESC
) AS last
WHERE type = 'Followed'
  AND NOT EXISTS (SELECT FROM doubt AS d WHERE d.h = last.h AND d.type = 'Followed'
                  AND d.data->>'follower' = follower AND d.data->>'followee' = followee);

-- An exclusion that was lifted in doubt still holds.
CREATE TABLE setting AS
WITH changed AS (
  SELECT e.h, e.n, data->>'owner' AS owner, data->>'other' AS other,
         (data->>'hides_other')::boolean AS hides,
         (data->>'hidden_from_other')::boolean AS hidden_from,
         held.n IS NOT NULL AS doubtful
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type = 'MomentSettingChanged'
), compared AS (
  SELECT *, lag(hides, 1, false) OVER stream AS hid,
         lag(hidden_from, 1, false) OVER stream AS was_hidden
  FROM changed WINDOW stream AS (PARTITION BY h, owner, other ORDER BY n)
)
SELECT h, owner, other,
       (array_agg(hides ORDER BY n DESC))[1] OR bool_or(doubtful AND hid AND NOT hides) AS hides,
       (array_agg(hidden_from ORDER BY n DESC))[1]
         OR bool_or(doubtful AND was_hidden AND NOT hidden_from) AS hidden_from
FROM compared GROUP BY h, owner, other;

-- Who has blocked whom, both ways: an end in doubt is none.
CREATE TABLE apart AS
WITH changed AS (
  SELECT e.h, e.n, data->>'by' AS one, data->>'other' AS other, type = 'PersonBlocked' AS blocks,
         held.n IS NOT NULL AND type = 'PersonUnblocked' AS doubtful
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type IN ('PersonBlocked', 'PersonUnblocked')
), last AS (
  SELECT h, one, other FROM changed GROUP BY h, one, other
  HAVING (array_agg(blocks ORDER BY n DESC))[1] OR bool_or(doubtful)
)
SELECT h, one, other FROM last
UNION
SELECT h, other, one FROM last;

-- Who is tagged, and who is in a group: for certain, or maybe.
CREATE TABLE listed AS
WITH changed AS (
  SELECT e.h, e.n, data->>'owner' AS owner, coalesce(data->>'tag_id', data->>'group_id') AS list,
         data->>'account_id' AS person, type IN ('ContactTagged', 'GroupJoined') AS is_in,
         held.n IS NOT NULL AS doubtful
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type IN ('ContactTagged', 'ContactUntagged', 'GroupJoined', 'GroupLeft', 'GroupMemberRemoved')
), last AS (
  SELECT h, owner, list, person, (array_agg(is_in ORDER BY n DESC))[1] AS is_in,
         bool_or(doubtful) AS doubtful
  FROM changed GROUP BY h, owner, list, person
), ended AS (
  SELECT e.h, coalesce(data->>'tag_id', data->>'group_id') AS list,
         bool_or(held.n IS NOT NULL) AS doubtful
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type IN ('TagDeleted', 'GroupDissolved') GROUP BY 1, 2
)
SELECT last.h, owner, list, person,
       is_in AND NOT last.doubtful AND ended.list IS NULL AS certain,
       (is_in OR last.doubtful) AND (ended.list IS NULL OR ended.doubtful) AS possible
FROM last LEFT JOIN ended USING (h, list);

CREATE TABLE closed AS
SELECT DISTINCT h, data->>'account_id' AS person FROM event WHERE type = 'AccountClosed';

-- What a moderator has hidden, and not restored; a restoring in doubt is none.
CREATE TABLE hidden AS
SELECT h, moment, comment FROM (
  SELECT DISTINCT ON (e.h, data->>'moment_id', data->>'comment_id')
         e.h, data->>'moment_id' AS moment, data->>'comment_id' AS comment, type,
         held.n IS NOT NULL AS doubtful
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type IN ('MomentHidden', 'MomentRestored', 'CommentHidden', 'CommentRestored')
  ORDER BY e.h, data->>'moment_id', data->>'comment_id', e.n DESC
) AS last WHERE type IN ('MomentHidden', 'CommentHidden') OR doubtful;

-- Each moment once for each audience that counts: the latest, and while the change to it is in doubt
-- the one before, and so on. Anyone who may see it may see it by all of them.
CREATE TABLE moment AS
WITH chosen AS (
  SELECT e.h, e.n, data, type, held.n IS NOT NULL AS doubtful,
         row_number() OVER (PARTITION BY e.h, data->>'moment_id' ORDER BY e.n) AS step
  FROM event AS e LEFT JOIN held ON held.h = e.h AND held.n = e.n
  WHERE type IN ('MomentPublished', 'MomentAudienceChanged')
), certain AS (
  SELECT h, data->>'moment_id' AS id,
         coalesce(max(step) FILTER (WHERE NOT doubtful), 1) AS step,
         bool_or(doubtful AND type = 'MomentPublished') AS held
  FROM chosen GROUP BY 1, 2
)
SELECT e.h, certain.id, data->>'author' AS author, data->>'audience' AS audience,
       data->'user_ids' AS users, data->'tag_ids' AS tags, data->'group_ids' AS groups,
       certain.held OR EXISTS (SELECT FROM hidden WHERE hidden.h = e.h AND hidden.comment IS NULL
                               AND hidden.moment = certain.id) AS held
FROM chosen AS e JOIN certain ON certain.h = e.h AND certain.id = e.data->>'moment_id'
WHERE e.step >= certain.step
  AND NOT EXISTS (SELECT FROM event AS d WHERE d.h = e.h AND d.type = 'MomentDeleted'
                  AND d.data->>'moment_id' = e.data->>'moment_id');

CREATE TABLE liked AS
SELECT h, moment, person FROM (
  SELECT DISTINCT ON (h, data->>'moment_id', data->>'account_id')
         h, type, data->>'moment_id' AS moment, data->>'account_id' AS person
  FROM event WHERE type IN ('MomentLiked', 'MomentUnliked')
  ORDER BY h, data->>'moment_id', data->>'account_id', n DESC
) AS last WHERE type = 'MomentLiked';

CREATE TABLE bookmarked AS
SELECT h, moment, person FROM (
  SELECT DISTINCT ON (h, data->>'moment_id', data->>'owner')
         h, type, data->>'moment_id' AS moment, data->>'owner' AS person
  FROM event WHERE type IN ('MomentBookmarked', 'BookmarkRemoved')
  ORDER BY h, data->>'moment_id', data->>'owner', n DESC
) AS last WHERE type = 'MomentBookmarked';

CREATE TABLE remark AS
SELECT h, data->>'moment_id' AS moment, data->>'comment_id' AS id, data->>'parent_id' AS parent,
       data->>'author' AS writer,
       EXISTS (SELECT FROM held WHERE held.h = e.h AND held.n = e.n)
         OR EXISTS (SELECT FROM hidden WHERE hidden.h = e.h
                    AND hidden.comment = e.data->>'comment_id') AS held
FROM event AS e
WHERE type = 'CommentAdded'
  AND NOT EXISTS (SELECT FROM event AS d WHERE d.h = e.h AND d.type = 'CommentDeleted'
                  AND d.data->>'comment_id' = e.data->>'comment_id');

CREATE TABLE edit AS
SELECT h, data->>'moment_id' AS moment, (data->>'edit')::int AS edit,
       EXISTS (SELECT FROM held WHERE held.h = e.h AND held.n = e.n) AS held
FROM event AS e WHERE type = 'MomentEdited';

CREATE INDEX ON contact (h, one, other);
CREATE INDEX ON moment (h, id);
CREATE INDEX ON follow (h, follower, followee);
CREATE INDEX ON setting (h, owner, other);
CREATE INDEX ON apart (h, one, other);
CREATE INDEX ON listed (h, person, list);
CREATE INDEX ON closed (h, person);
ANALYZE;

CREATE FUNCTION are_contacts(h int, one text, other text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM contact AS c WHERE c.h = $1 AND c.one = $2 AND c.other = $3)
$$;
CREATE FUNCTION are_apart(h int, one text, other text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM apart AS a WHERE a.h = $1 AND a.one = $2 AND a.other = $3)
$$;
-- Only the author's own tags count. `certainly`: what is in doubt does not.
CREATE FUNCTION is_named(viewer text, m moment, certainly boolean) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT m.users ? viewer
      OR EXISTS (SELECT FROM listed AS l WHERE l.h = m.h AND l.person = viewer
                 AND (m.tags ? l.list AND l.owner = m.author OR m.groups ? l.list)
                 AND CASE WHEN certainly THEN l.certain ELSE l.possible END)
$$;
CREATE FUNCTION excludes_viewer(m moment, viewer text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM setting AS s WHERE s.h = m.h AND s.owner = m.author
                 AND s.other = viewer AND s.hidden_from)
$$;
CREATE FUNCTION is_there(m moment) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM closed AS c WHERE c.h = m.h AND c.person = m.author)
$$;

-- The first predicate.
CREATE FUNCTION may_see(viewer text, m moment) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT is_there(m) AND (viewer = m.author OR
    NOT m.held AND NOT are_apart(m.h, viewer, m.author) AND NOT excludes_viewer(m, viewer) AND CASE m.audience
      WHEN 'public' THEN true
      WHEN 'partly-visible' THEN are_contacts(m.h, viewer, m.author) AND is_named(viewer, m, true)
      WHEN 'partly-invisible' THEN are_contacts(m.h, viewer, m.author)
                                   AND NOT is_named(viewer, m, false)
      ELSE false END)
$$;
-- The second.
CREATE FUNCTION wants(h int, viewer text, author text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT viewer = author OR
    (are_contacts($1, viewer, author)
     OR EXISTS (SELECT FROM follow AS f WHERE f.h = $1 AND f.follower = viewer
                AND f.followee = author))
    AND NOT are_apart($1, viewer, author)
    AND NOT EXISTS (SELECT FROM setting AS s WHERE s.h = $1 AND s.owner = viewer
                    AND s.other = author AND s.hides)
$$;

CREATE TABLE shown AS
SELECT m.h, p.id AS viewer, m.author, m.id::bigint AS id
FROM moment AS m JOIN person AS p USING (h)
GROUP BY m.h, p.id, m.author, m.id HAVING bool_and(may_see(p.id, m));

-- The query of the design, clause by clause, for each audience that counts.
CREATE VIEW by_audience AS
-- all moments of the viewer himself
SELECT m.h, m.author AS viewer, m.id::bigint AS id FROM moment AS m WHERE is_there(m)
UNION ALL
-- and of each contact whom the viewer does not exclude and who does not exclude the viewer, those
-- that are public, or partly-visible with the viewer in its users, tagged by the author with one of
-- its tags, or a member of one of its groups, or partly-invisible with none of these
SELECT m.h, c.one, m.id::bigint
FROM contact AS c JOIN moment AS m ON m.h = c.h AND m.author = c.other
WHERE NOT EXISTS (SELECT FROM setting AS s WHERE s.h = c.h AND s.owner = c.one
                  AND s.other = c.other AND s.hides)
  AND NOT are_apart(c.h, c.one, c.other)
  AND NOT excludes_viewer(m, c.one)
  AND (m.audience = 'public'
       OR m.audience = 'partly-visible' AND is_named(c.one, m, true)
       OR m.audience = 'partly-invisible' AND NOT is_named(c.one, m, false))
  AND is_there(m) AND NOT m.held
UNION ALL
-- and of each account that he follows without being its contact, unless either excludes the other,
-- the public ones
SELECT m.h, f.follower, m.id::bigint
FROM follow AS f JOIN moment AS m ON m.h = f.h AND m.author = f.followee
WHERE NOT are_contacts(f.h, f.follower, f.followee)
  AND NOT are_apart(f.h, f.follower, f.followee)
  AND NOT EXISTS (SELECT FROM setting AS s WHERE s.h = f.h
                  AND (s.owner = f.follower AND s.other = f.followee AND s.hides
                       OR s.owner = f.followee AND s.other = f.follower AND s.hidden_from))
  AND m.audience = 'public'
  AND is_there(m) AND NOT m.held;

CREATE VIEW timeline AS
SELECT h, viewer, id FROM by_audience AS b GROUP BY h, viewer, id
HAVING count(*) = (SELECT count(*) FROM moment AS m WHERE m.h = b.h AND m.id = b.id::text);

-- Under what they are shown, people meet likes and comments of themselves, of the moment's author and
-- of their contacts.
CREATE FUNCTION meets(h int, viewer text, writer text, author text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM closed AS c WHERE c.h = $1 AND c.person = writer)
     AND NOT are_apart($1, viewer, writer) AND NOT are_apart($1, author, writer)
     AND (writer IN (viewer, author) OR are_contacts($1, viewer, writer))
$$;
CREATE TABLE met_remark AS
SELECT s.h, s.viewer, r.moment, r.id, r.parent
FROM shown AS s JOIN remark AS r ON r.h = s.h AND r.moment = s.id::text
WHERE meets(s.h, s.viewer, r.writer, s.author) AND (NOT r.held OR r.writer = s.viewer);

CREATE VIEW met AS
SELECT s.h, s.viewer, 'like ' || l.moment || ' ' || l.person AS line
FROM shown AS s JOIN liked AS l ON l.h = s.h AND l.moment = s.id::text
WHERE meets(s.h, s.viewer, l.person, s.author)
UNION ALL
SELECT s.h, s.viewer, 'bookmark ' || s.id || ' '
FROM shown AS s WHERE (s.h, s.id::text, s.viewer) IN (SELECT h, moment, person FROM bookmarked)
UNION ALL
SELECT r.h, r.viewer, 'comment ' || r.moment || ' ' || r.id || ' ' || coalesce(parent.id, '0')
FROM met_remark AS r LEFT JOIN met_remark AS parent
  ON parent.h = r.h AND parent.viewer = r.viewer AND parent.moment = r.moment
 AND parent.id = r.parent
UNION ALL
-- A text is shown when none up to it is held.
SELECT s.h, s.viewer, 'edits ' || e.moment || ' ' || max(e.edit)
FROM shown AS s JOIN edit AS e ON e.h = s.h AND e.moment = s.id::text
WHERE s.viewer = s.author
   OR NOT EXISTS (SELECT FROM edit AS earlier WHERE earlier.h = e.h AND earlier.moment = e.moment
                  AND earlier.edit <= e.edit AND earlier.held)
GROUP BY s.h, s.viewer, e.moment;
