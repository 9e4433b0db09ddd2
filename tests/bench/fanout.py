"""Deliveries of moments to timelines in the feed's engine, on one core, from decoded events. Peers: bare
appends to the same arrays (the limit of the memory: on huge pages as ours, and the processor is told in
advance), pipelines into Redis as timelines are kept there, and one statement a moment in PostgreSQL.
TIDELINE_BENCH_GRAPH=FILE adds the friendships of a file of two ids a line; TIDELINE_BENCH_PEOPLE=8000000
changes how many people the made-up graph has. Smaller ones draw the curve: what part of the limit is reached
must not depend on the size, by a factor of two."""

import json
import os
import shutil
import subprocess
import time

from harness import Bench, BenchFailed, conninfo, say

CONTACTS = 150  # mean, of 5,000 at most
TIMELINE_LENGTH = 128
SMALLER = [100_000, 10_000]
REDIS_COMMANDS = ["lpush-ltrim", "lpush-rarely-ltrim", "zadd", "zadd-trim"]
CASES = [
    "graph of a file, limit of the memory",
    "power law, limit of the memory",
    *[f"power law of {people:,} people, limit of the memory" for people in SMALLER],
    *[f"power law, Redis {commands}" for commands in REDIS_COMMANDS],
    "power law, PostgreSQL",
]


class Rounds:
    """A program that keeps its graph in memory and measures once for each line that it gets."""

    def __init__(self, bench: Bench, *arguments: object):
        line = [str(bench.path_of("tideline-bench-fanout")), *[str(word) for word in arguments]]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

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


class Redis:
    """In memory alone, as fast as it is: nothing is saved."""

    def __init__(self, bench: Bench):
        if shutil.which("redis-server") is None:
            raise BenchFailed("redis-server is missing (deploy/packages.txt, section bench)")
        self.socket = bench.scratch / "redis.socket"
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", str(self.socket), "--save", "", "--appendonly", "no"],
            cwd=bench.scratch, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not self.socket.exists():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise BenchFailed("redis-server did not start")
            time.sleep(0.05)

    def empty(self) -> None:
        subprocess.run(["redis-cli", "-s", str(self.socket), "FLUSHALL"], check=True, stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        self.process.terminate()
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
    people = int(os.environ.get("TIDELINE_BENCH_PEOPLE", 20_000 if bench.quick else 1_000_000))
    common = ["--seconds", seconds, "--timeline-length", TIMELINE_LENGTH]
    unit = "deliveries/s"
    file = os.environ.get("TIDELINE_BENCH_GRAPH")
    if file:
        names = {word for line in open(file) for word in line.split()[:2]}
        ours = Rounds(bench, *common, "--graph", file)
        limit = Rounds(bench, *common, "--mode", "limit", "--people", len(names))
        bench.compare(CASES[0], unit, ours=ours.deliveries_per_s, peer="bare appends to the same arrays",
                      theirs=limit.deliveries_per_s)
        ours.stop()
        limit.stop()
    else:
        say(f"  {bench.name}: without TIDELINE_BENCH_GRAPH no figure for the graph of a file")

    def beside_the_limit(case: str, people: int, goal: float) -> tuple[Rounds, float]:
        ours = Rounds(bench, *common, "--people", people, "--contacts-mean", CONTACTS)
        limit = Rounds(bench, *common, "--mode", "limit", "--people", people)
        share = bench.compare(case, unit, ours=ours.deliveries_per_s, peer="bare appends to the same arrays",
                              theirs=limit.deliveries_per_s, goal=goal)
        limit.stop()
        return ours, share

    ours, share = beside_the_limit(CASES[1], people, 0.4)
    for case, fewer in zip(CASES[2:], SMALLER):
        beside_the_limit(case, fewer, share / 2)[0].stop()
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
