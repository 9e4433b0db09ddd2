"""A start of the feed engine from a snapshot, from the process to a thousand timelines, beside reading the same
contacts and moments from PostgreSQL by COPY, into nothing: what an engine that keeps them in tables does at least.
What the timelines show must be what they showed before. TIDELINE_BENCH_PEOPLE=1000000 changes how many people, with
150 contacts each on average, and moments there are."""

import json
import os
import subprocess
import time

from harness import Bench, BenchFailed, conninfo, say

CONTACTS = 150  # mean, of 5,000 at most
CASES = ["from the snapshot", "bytes a contact"]


def fill_tables(database: str, program: list[str]) -> int:
    """Bytes of the contacts, with the index by which they would be found."""
    def sql(statement: str) -> str:
        done = subprocess.run(["psql", database, "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", statement],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchFailed(f"psql: {done.stderr[-1000:]}")
        return done.stdout.strip()

    sql("CREATE TABLE contact (one int, other int)")
    sql("CREATE TABLE moment (id bigint, author int)")
    for table, what in (("contact", "pairs"), ("moment", "moments")):
        rows = subprocess.Popen([*program, what], stdout=subprocess.PIPE)
        subprocess.run(["psql", database, "-qX", "-v", "ON_ERROR_STOP=1", "-c", f"COPY {table} FROM STDIN"],
                       stdin=rows.stdout, check=True)
        rows.stdout.close()
        if rows.wait() != 0:
            raise BenchFailed(f"{what}: ended with {rows.returncode}")
    sql("ALTER TABLE contact ADD PRIMARY KEY (one, other)")
    sql("VACUUM ANALYZE contact")
    return int(sql("SELECT pg_total_relation_size('contact')"))


def run(bench: Bench) -> None:
    people = int(os.environ.get("TIDELINE_BENCH_PEOPLE", 20_000 if bench.quick else 200_000))
    file = bench.scratch / "feed.snapshot"
    program = [str(word) for word in (bench.path_of("tideline-bench-feed-restart"), "--people", people,
                                      "--contacts-mean", CONTACTS, "--file", file)]
    made = bench.command(*program, "fill")
    database = conninfo(bench.postgres().database("restart"))
    table_bytes = fill_tables(database, program)
    contacts = made["contacts"]
    say(f"  {bench.name}: {people} people, {contacts} contacts; the snapshot of {made['bytes']} bytes was written in "
        f"{made['snapshot_s']:.2f} s")

    def ours() -> float:
        begun = time.monotonic()
        with subprocess.Popen([*program, "start"], stdout=subprocess.PIPE, text=True) as process:
            line = process.stdout.readline()
            took = time.monotonic() - begun
        started = json.loads(line) if line else {}
        if started.get("digest") != made["digest"]:
            raise BenchFailed(f"the timelines are not what they were: {line}")
        say(f"    loaded in {started['load_s']} s, timelines in {started['reads_s']} s")
        return took

    def theirs() -> float:
        begun = time.monotonic()
        for table in ("contact", "moment"):
            subprocess.run(["psql", database, "-qX", "-c", f"COPY {table} TO STDOUT (FORMAT binary)"],
                           stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - begun

    bench.compare(CASES[0], "s", ours=ours, peer="PostgreSQL, COPY TO of the same, into nothing", theirs=theirs,
                  goal=1.0, smaller_is_better=True, ours_goal=60.0)
    bench.compare(CASES[1], "bytes", ours=lambda: made["bytes"] / contacts, peer="PostgreSQL, table and index",
                  theirs=lambda: table_bytes / contacts, smaller_is_better=True)
