"""Harm done on purpose before the checks, so that each can be seen to fail. Each returns what it has done."""

import os

from installation import PARTS, run


def as_superuser(checks, service, sql):
    command = f"SET session_replication_role = replica; {sql}"
    return run("psql", checks.home.conninfo(f"tideline_{service}"), "-X", "-q", "-At", "-c", command).stdout.strip()


def lost_event(checks):
    which = "SELECT event_id FROM event WHERE type = 'CommentAdded' ORDER BY recorded_at LIMIT 1"
    return "deleted event " + as_superuser(
        checks, "projects", f"DELETE FROM event WHERE event_id = ({which}) RETURNING event_id"
    )


def second_event(checks):
    """The same command once more, as a store without idempotency keys would write it."""
    sql = """
      WITH old AS (SELECT * FROM event WHERE type = 'MessageSent' ORDER BY recorded_at LIMIT 1),
        place AS (UPDATE event_log SET position = position + 1 WHERE log = (SELECT log FROM old) RETURNING log, position)
      INSERT INTO event SELECT log, place.position, stream_id || '1', version, gen_random_uuid(), type, schema_version,
        private, recorded_at, correlation_id, causation_id, traceparent, data FROM old JOIN place USING (log)
      RETURNING event_id"""
    return "wrote event " + as_superuser(checks, "feed", sql)


def journal_line_twice(checks):
    with open(checks.journal, "r+", encoding="utf-8") as journal:
        line = next(line for line in journal if "\tfollow\t" in line)
        journal.seek(0, 2)
        journal.write(line)
    return "repeated " + line.split("\t", maxsplit=1)[0]


def refused_but_written(checks):
    text = checks.journal.read_text(encoding="utf-8").splitlines(keepends=True)
    number = next(i for i, line in enumerate(text) if "\tPointsAdjusted\t" in line)
    columns = text[number].split("\t")
    columns[3] = columns[4] = "409"
    text[number] = "\t".join(columns)
    checks.journal.write_text("".join(text), encoding="utf-8")
    return "the journal calls refused " + columns[0]


def journal_line_gone(checks):
    text = checks.journal.read_text(encoding="utf-8").splitlines(keepends=True)
    number = next(i for i, line in enumerate(text) if "\tMomentPublished\t" in line)
    gone = text.pop(number).split("\t", maxsplit=1)[0]
    checks.journal.write_text("".join(text), encoding="utf-8")
    return "the journal forgets " + gone


def changed_row(checks):
    sql = "UPDATE score SET points = points + 1 WHERE account_id = (SELECT min(account_id::text)::uuid FROM score) RETURNING account_id"
    return "one point more for " + as_superuser(checks, "scoring", sql)


def dropped_record(checks):
    """The end of a partition is torn off, and the relay that would mend it is not there."""
    home = checks.home
    log = checks.sql("social-graph", "SELECT log FROM event_log ORDER BY position DESC LIMIT 1")
    run(PARTS / "services", "stop", "--data", home.folder("social-graph"))
    run(PARTS / "kafka", "kill", "--data", home.folder("kafka"))
    segment = max((home.folder("kafka") / "data" / f"tideline.social-graph-{log}").glob("*.log"))
    os.truncate(segment, segment.stat().st_size - 1)
    run(*home.starts["kafka"])
    return f"the last record of log {log} is torn"


KINDS = {
    "lost-event": lost_event,
    "second-event": second_event,
    "journal-line-twice": journal_line_twice,
    "refused-but-written": refused_but_written,
    "journal-line-gone": journal_line_gone,
    "changed-row": changed_row,
    "dropped-record": dropped_record,
}
