"""The scoring engine at 30 million people with lognormal scores, against Redis with the same members on
the same machine, and against what the machine's memory allows. TIDELINE_BENCH_MEMBERS: how many, for a
machine with less memory (Redis takes some 110 bytes each)."""

import itertools
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator

from harness import Bench, BenchFailed, conninfo, say
from ports import free_ports

MEMBERS = 30_000_000
QUICK_MEMBERS = 1_000_000
CURVE = [10_000, 100_000, 1_000_000, 10_000_000]
PIPELINE = 64
START_DEADLINE_S = 600

# Our command, that of Redis, and the ratio to reach.
COMMANDS = [("score_add", "ZINCRBY", 8.0), ("score_rank", "ZREVRANK", 5.0), ("score_top", "ZREVRANGE", 2.0)]

CASES = [
    *[f"{figure} of a board at N members" for figure in ("add", "rank")],
    *[f"{figure} by account id at N members" for figure in ("add", "rank")],
    "bytes a person and board",
    "bytes a person with the id map",
    *[f"{ours}, pipeline {PIPELINE}" for ours, _, _ in COMMANDS],
    "flush of 100,000 people",
    "recovery from a snapshot",
    "recovery from the table",
]


class Server:
    """A process that listens on a port of its own."""

    def __init__(self, *words: object):
        self.port = free_ports(1)[0]
        line = [str(word) for word in words] + ["--port", str(self.port)]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up = time.monotonic() + START_DEADLINE_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise BenchFailed(f"{line[0]} does not listen")
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def redis_figure(port: int, name: str) -> float:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"INFO memory\r\n")
        info = connection.recv(1 << 16).decode()
    return float(next(line.split(":")[1] for line in info.splitlines() if line.startswith(name + ":")))


def in_process(bench: Bench, members: int, most: int) -> dict:
    """The figures of one size, each beside one random read of as many numbers in the same run. Every run
    has all of them, so the cases share their runs."""
    runs: list[dict] = []

    def of_run(key: str) -> Iterator[float]:
        for turn in itertools.count():
            if turn == len(runs):
                runs.append(bench.program("tideline-bench-score", "--members", members, "memory"))
            yield runs[turn][key]

    whole = members == most
    for key, case, goal in [("board_add_ns", "add of a board", 0.3), ("board_rank_ns", "rank of a board", 0.5),
                            ("add_ns", "add by account id", None), ("rank_ns", "rank by account id", None)]:
        ours, read = of_run(key), of_run("random_read_ns")
        bench.compare(f"{case} at {members} members", "ns", ours=lambda: next(ours),
                      peer="one random read", theirs=lambda: next(read),
                      goal=goal if whole else None, smaller_is_better=True)
    return runs[-1]


def against_redis(bench: Bench, members: int, memory: dict) -> None:
    seconds = 1 if bench.quick else 4
    redis = Server("redis-server", "--save", "", "--appendonly", "no", "--bind", "127.0.0.1")
    ours = None
    try:
        before = redis_figure(redis.port, "used_memory")
        bench.program("tideline-bench-score-load", "--port", redis.port, "--command", "fill", "--members", members)
        redis_bytes = (redis_figure(redis.port, "used_memory") - before) / members
        for key, case, goal in [("board_bytes", "bytes a person and board", 8.0),
                                ("all_bytes", "bytes a person with the id map", None)]:
            bench.compare(case, "bytes", ours=lambda: memory[key], peer="Redis", theirs=lambda: redis_bytes,
                          smaller_is_better=True, ours_goal=goal if members == MEMBERS else None)
        ours = Server(bench.path_of("tideline-bench-score"), "--members", members, "serve")

        def rate(port: int, command: str) -> float:
            return bench.program("tideline-bench-score-load", "--port", port, "--command", command, "--members",
                                 members, "--pipeline", PIPELINE, "--seconds", seconds)["events_per_s"]

        for mine, theirs, goal in COMMANDS:
            bench.compare(f"{mine}, pipeline {PIPELINE}", "commands/s", ours=lambda: rate(ours.port, mine),
                          peer=f"Redis {theirs}", theirs=lambda: rate(redis.port, theirs), goal=goal)
    finally:
        redis.stop()
        if ours:
            ours.stop()


def tables(bench: Bench) -> None:
    members = 100_000 if bench.quick else 3_000_000
    postgres = bench.postgres()
    seen: dict = {}

    def fresh(key: str) -> float:
        nonlocal seen
        database = conninfo(postgres.database("scores"))
        seen = bench.program("tideline-bench-score", "--members", members, "tables", "--database", database)
        return seen[key]

    bench.compare("flush of 100,000 people", "s", ours=lambda: fresh("flush_s"),
                  peer="one upsert of 100,000 numbers", theirs=lambda: seen["plain_s"],
                  smaller_is_better=True, ours_goal=1.0)
    say(f"  {bench.name}, the table was loaded at {seen['load_per_s']:.0f} people/s")


def ask(port: int, command: str) -> str:
    """The first line of Redis's reply; "" when it does not answer."""
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.makefile().readline().strip()
    except OSError:
        return ""


def recovery(bench: Bench, members: int) -> None:
    """From the start of the process to its first answer."""
    database = conninfo(bench.postgres().database("recovery"))
    snapshots, dump = bench.scratch / "snapshots", bench.scratch / "dump"
    snapshots.mkdir()
    dump.mkdir()
    program = bench.path_of("tideline-bench-score-recovery")
    where = ("--members", members, "--database", database, "--folder", snapshots)
    made = bench.command(program, *where, "fill")
    say(f"  {bench.name}, {members} people were copied in {made['copy_s']:.1f} s; a snapshot of them took "
        f"{made['snapshot_s']:.1f} s and has {made['bytes'] / members:.1f} bytes each")
    redis = ("redis-server", "--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--dir", dump)
    server = Server(*redis)
    try:
        bench.program("tideline-bench-score-load", "--port", server.port, "--command", "fill", "--members", members)
        if ask(server.port, "SAVE") != "+OK":
            raise BenchFailed("Redis cannot save its dump")
    finally:
        server.stop()
    seen: dict = {}

    def ours(*how: str) -> float:
        line = [str(word) for word in (program, *where, "start", *how)]
        begun = time.monotonic()
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            answer = process.stdout.readline()
            took = time.monotonic() - begun
        if not answer or json.loads(answer)["members"] != members:
            raise BenchFailed(f"of {members} members are back: {answer}")
        return took

    def theirs() -> float:
        port = free_ports(1)[0]
        begun = time.monotonic()
        process = subprocess.Popen([str(word) for word in (*redis, "--port", port)], stdout=subprocess.DEVNULL)
        try:
            while ask(port, "ZCARD board") != f":{members}":
                if process.poll() is not None or time.monotonic() - begun > START_DEADLINE_S:
                    raise BenchFailed("Redis does not load its dump")
                time.sleep(0.002)
            seen["redis"] = time.monotonic() - begun
        finally:
            process.kill()
            process.wait()
        return seen["redis"]

    bench.compare("recovery from a snapshot", "s", ours=ours, peer="Redis loading its dump", theirs=theirs,
                  goal=10.0, smaller_is_better=True)
    bench.compare("recovery from the table", "s", ours=lambda: ours("--tables"), peer="Redis loading its dump",
                  theirs=lambda: seen["redis"], smaller_is_better=True)


def run(bench: Bench) -> None:
    members = int(os.environ.get("TIDELINE_BENCH_MEMBERS", QUICK_MEMBERS if bench.quick else MEMBERS))
    memory: dict = {}
    for size in [*(size for size in CURVE if size < members), members]:
        memory = in_process(bench, size, members)
    against_redis(bench, members, memory)
    tables(bench)
    recovery(bench, members)
