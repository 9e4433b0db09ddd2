"""Deliveries of moments to timelines in the feed's engine, on one core, from decoded events. Peers: bare
appends to the same arrays (the limit of the memory), pipelines into Redis as timelines are kept there,
and one statement a moment in PostgreSQL. The memory's limit is also that of smaller graphs: our share of
it is to be as large at any size. Graphs and their options are those of feed_servers.py;
TIDELINE_BENCH_TIMELINE=32 changes how many ids a timeline holds, on both sides, for more people in the same
memory."""

import json
import os
import subprocess

from feed_servers import CONTACTS, Redis, graphs
from harness import Bench, BenchFailed, conninfo, say

CURVE = [10_000, 100_000, 1_000_000]  # people, and those of the whole graph
CURVE_SPREAD_MAX = 2.0  # of our shares of the limits
TIMELINE_LENGTH = int(os.environ.get("TIDELINE_BENCH_TIMELINE", 128))
REDIS_COMMANDS = ["lpush-ltrim", "lpush-rarely-ltrim", "zadd", "zadd-trim"]
CASES = [
    "graph of a file, limit of the memory",
    "power law, limit of the memory at N people",
    *[f"power law, Redis {commands}" for commands in REDIS_COMMANDS],
    "power law, PostgreSQL",
]


class Rounds:
    """A program that keeps its graph in memory and measures once for each line that it gets."""

    def __init__(self, bench: Bench, *arguments: object):
        line = [str(bench.path_of("tideline-bench-fanout")), *[str(word) for word in arguments]]
        # The memory that it takes before the first event is given back to the system at its end.
        kept = {**os.environ, "MALLOC_CONF": "dirty_decay_ms:-1"}
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=kept)

    def deliveries_per_s(self) -> float:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise BenchFailed("tideline-bench-fanout ended")
        return json.loads(answer)["deliveries_per_s"]

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def one_statement(bench: Bench, seconds: float) -> "callable":
    """Authors with as many contacts as ours have on average; deliveries a second."""
    database = conninfo(bench.postgres().database("fanout"))
    authors, viewers = (1_000, 10_000) if bench.quick else (20_000, 1_000_000)
    setup = f"""
        CREATE TABLE contact (author int, viewer int);
        INSERT INTO contact SELECT a, floor(random() * {viewers})
          FROM generate_series(1, {authors}) AS a, generate_series(1, {CONTACTS});
        CREATE INDEX ON contact (author) INCLUDE (viewer);
        CREATE TABLE timeline (viewer int, id bigint, PRIMARY KEY (viewer, id));
        VACUUM ANALYZE contact;"""
    for statement in setup.split(";"):
        if statement.strip():
            subprocess.run(["psql", database, "-qX", "-c", statement], check=True)
    script = bench.scratch / "fanout.sql"
    script.write_text(f"\\set author random(1, {authors})\n\\set id random(1, 1000000000000)\n"
                      "INSERT INTO timeline SELECT viewer, :id FROM contact WHERE author = :author"
                      " ON CONFLICT DO NOTHING;\n")

    def deliveries_per_s() -> float:
        done = subprocess.run(["pgbench", "-n", "-M", "prepared", "-T", str(max(1, int(seconds))),
                               "-f", str(script), database], capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if line.startswith("tps = "):
                return float(line.split()[2]) * CONTACTS
        raise BenchFailed(f"pgbench: {done.stderr[-1000:]}")

    return deliveries_per_s


def run(bench: Bench) -> None:
    seconds = 1 if bench.quick else 10
    common = ["--seconds", seconds, "--timeline-length", TIMELINE_LENGTH]
    unit = "deliveries/s"
    *of_a_file, (_, made_up) = graphs(bench)
    people = int(made_up[1])

    def share_of_limit(case: str, ours: Rounds, size: int, goal: float | None) -> float:
        limit = Rounds(bench, *common, "--mode", "limit", "--people", size)
        share = bench.compare(case, unit, ours=ours.deliveries_per_s, peer="bare appends to the same arrays",
                              theirs=limit.deliveries_per_s, goal=goal)
        limit.stop()
        return share

    for _, graph in of_a_file:
        names = {word for line in open(graph[1]) for word in line.split()[:2]}
        ours = Rounds(bench, *common, *graph)
        share_of_limit(CASES[0], ours, len(names), None)
        ours.stop()

    sizes = [*(size for size in CURVE if size < people), people]
    shares = []
    for size in sizes:
        ours = Rounds(bench, *common, "--people", size, "--contacts-mean", CONTACTS)
        shares.append(share_of_limit(f"power law, limit of the memory at {size} people", ours, size,
                                     0.4 if size == people else None))
        if size != people:
            ours.stop()
    spread = max(shares) / min(shares)
    bench.goals_missed += spread > CURVE_SPREAD_MAX
    say(f"  {bench.name}: from {sizes[0]} to {people} people our share of the limit changes by a factor of "
        f"{spread:.2f} (goal: {CURVE_SPREAD_MAX})")
    redis = Redis(bench)
    try:
        for commands in REDIS_COMMANDS:
            def into_redis() -> float:
                redis.empty()
                return bench.program("tideline-bench-fanout-redis", "--socket", redis.socket, "--commands", commands,
                                     "--people", people, "--seconds", seconds)["deliveries_per_s"]

            bench.compare(f"power law, Redis {commands}", unit, ours=ours.deliveries_per_s,
                          peer=f"Redis 7, hiredis pipeline, {commands}", theirs=into_redis, goal=40.0)
    finally:
        redis.stop()
    bench.compare(CASES[-1], unit, ours=ours.deliveries_per_s, peer="PostgreSQL, one INSERT ... SELECT a moment",
                  theirs=one_statement(bench, seconds))
    ours.stop()
