"""The scoring engine at 30 million people with lognormal scores, against Redis with the same members on
the same machine, and against what the machine's memory allows."""

import itertools
import socket
from collections.abc import Iterator

from harness import Bench
from score_servers import MEMBERS, REDIS, Server, members_of

CURVE = [10_000, 100_000, 1_000_000, 10_000_000]
PIPELINE = 64

# Our command, that of Redis, and the ratio to reach.
COMMANDS = [("score_add", "ZINCRBY", 8.0), ("score_rank", "ZREVRANK", 5.0), ("score_top", "ZREVRANGE", 2.0)]

CASES = [
    *[f"{figure} of a board at N members" for figure in ("add", "rank")],
    *[f"{figure} by account id at N members" for figure in ("add", "rank")],
    "neighbours of anybody at N members",
    "bytes a person and board",
    "bytes a person and board of a period",
    "bytes a person with the id map",
    *[f"{ours}, pipeline {PIPELINE}" for ours, _, _ in COMMANDS],
]


def redis_figure(port: int, name: str) -> float:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"INFO memory\r\n")
        info = connection.recv(1 << 16).decode()
    return float(next(line.split(":")[1] for line in info.splitlines() if line.startswith(name + ":")))


def in_process(bench: Bench, members: int, most: int) -> dict:
    """The figures of one size, each beside what it cannot go below in the same run: one random read of as
    many numbers, or one random addition to them. Every run has all of them, so the cases share their runs."""
    runs: list[dict] = []

    def of_run(key: str) -> Iterator[float]:
        for turn in itertools.count():
            if turn == len(runs):
                runs.append(bench.program("tideline-bench-score", "--members", members, "memory"))
            yield runs[turn][key]

    whole = members == most
    for key, case, limit, goal in [("board_add_ns", "add of a board", "add", 0.3),
                                   ("board_rank_ns", "rank of a board", "read", 0.5),
                                   ("add_ns", "add by account id", "add", None),
                                   ("rank_ns", "rank by account id", "read", None)]:
        ours, bare = of_run(key), of_run(f"random_{limit}_ns")
        bench.compare(f"{case} at {members} members", "ns", ours=lambda: next(ours),
                      peer=f"one random {limit}", theirs=lambda: next(bare),
                      goal=goal if whole else None, smaller_is_better=True)
    around, bare = of_run("around_ms"), of_run("pass_ms")
    bench.compare(f"neighbours of anybody at {members} members", "ms", ours=lambda: next(around),
                  peer="one pass over as many numbers", theirs=lambda: next(bare), smaller_is_better=True)
    return runs[-1]


def against_redis(bench: Bench, members: int, memory: dict) -> None:
    seconds = 1 if bench.quick else 4
    redis = Server(*REDIS)
    ours = None
    try:
        before = redis_figure(redis.port, "used_memory")
        bench.program("tideline-bench-score-load", "--port", redis.port, "--command", "fill", "--members", members)
        redis_bytes = (redis_figure(redis.port, "used_memory") - before) / members
        for key, case, goal in [("board_bytes", "bytes a person and board", 8.0),
                                ("period_bytes", "bytes a person and board of a period", 8.0),
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


def run(bench: Bench) -> None:
    members = members_of(bench)
    memory: dict = {}
    for size in [*(size for size in CURVE if size < members), members]:
        memory = in_process(bench, size, members)
    against_redis(bench, members, memory)
