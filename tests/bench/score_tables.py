"""What the scoring service writes to its tables and how it comes back: a flush, and a start at 30 million people
against Redis that loads its dump of the same members."""

import contextlib
import json
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from harness import Bench, BenchFailed, conninfo, say
from ports import free_ports
from score_servers import REDIS, START_DEADLINE_S, Server, members_of

CASES = ["flush of 100,000 people", "folding of what it has deferred",
         "recovery from a snapshot", "recovery from the table",
         "flush of 100,000 people of all", "folding of what that has deferred",
         "flush of 100,000 people of all, beside a process that takes a snapshot"]
UPSERT = "one upsert of 100,000 numbers"
FLUSHES = 4


def flush(bench: Bench) -> None:
    members = 100_000 if bench.quick else 3_000_000
    postgres = bench.postgres()
    turns: list[dict] = []

    def fresh() -> float:
        database = conninfo(postgres.database("scores"))
        turns.append(bench.program("tideline-bench-score", "--members", members, "tables", "--database", database))
        return turns[-1]["flush_s"]

    bench.compare(CASES[0], "s", ours=fresh, peer=UPSERT, theirs=lambda: turns[-1]["plain_s"],
                  smaller_is_better=True, ours_goal=1.0)
    compare_seen(bench, CASES[1], [turn["fold_s"] for turn in turns], UPSERT, [turn["plain_s"] for turn in turns])
    say(f"  {bench.name}, the table was loaded at {turns[-1]['load_per_s']:.0f} people/s")


def compare_seen(bench: Bench, case: str, ours: list[float], peer: str, theirs: list[float],
                 ours_goal: float | None = None) -> None:
    """What the turns of another figure have measured beside it."""
    mine, other = iter(ours), iter(theirs)
    bench.compare(case, "s", ours=lambda: next(mine), peer=peer, theirs=lambda: next(other),
                  smaller_is_better=True, ours_goal=ours_goal)


def ask(port: int, command: str) -> str:
    """The first line of Redis's reply; "" when it does not answer."""
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.makefile().readline().strip()
    except OSError:
        return ""


def read_through(folder: Path) -> None:
    """So that both read their file from memory: how fast disks are is not compared, and systems let go of what has
    not been read for minutes."""
    for file in folder.iterdir():
        with open(file, "rb") as opened:
            while opened.read(1 << 24):
                pass


@contextlib.contextmanager
def running(line: tuple) -> Iterator[None]:
    """Beside what happens within, until it ends; () is nothing."""
    process = subprocess.Popen([str(word) for word in line]) if line else None
    try:
        yield
        if process and process.poll() not in (None, 0):
            raise BenchFailed(f"{line[-1]} has failed")
    finally:
        if process:
            process.kill()
            process.wait()


def recovery(bench: Bench, members: int) -> None:
    """From the start of the process to its first answer."""
    postgres = bench.postgres()
    database = conninfo(postgres.database("recovery"))
    snapshots, dump = bench.scratch / "snapshots", bench.scratch / "dump"
    snapshots.mkdir()
    dump.mkdir()
    program = bench.path_of("tideline-bench-score-recovery")
    where = ("--members", members, "--database", database, "--folder", snapshots)
    made = bench.command(program, *where, "fill")
    say(f"  {bench.name}, {members} people were copied in {made['copy_s']:.1f} s; a snapshot of them took "
        f"{made['snapshot_s']:.1f} s and has {made['bytes'] / members:.1f} bytes each")
    postgres.settle("recovery")
    redis = (*REDIS, "--dir", dump)
    server = Server(*redis)
    try:
        bench.program("tideline-bench-score-load", "--port", server.port, "--command", "fill", "--members", members)
        if ask(server.port, "SAVE") != "+OK":
            raise BenchFailed("Redis cannot save its dump")
    finally:
        server.stop()
    seen: dict = {}
    flushes: list[list[dict]] = []

    def ours(*how: str, beside: tuple = ()) -> float:
        line = [str(word) for word in (program, *where, "start", *how)]
        read_through(snapshots)
        begun = time.monotonic()
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            answer = process.stdout.readline()
            took = time.monotonic() - begun
            with running(beside):
                flushes.append([json.loads(line) for line in process.stdout])
        if not answer or json.loads(answer)["members"] != members:
            raise BenchFailed(f"of {members} members are back: {answer}")
        return took

    def theirs() -> float:
        port = free_ports(1)[0]
        read_through(dump)
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

    bench.compare(CASES[2], "s", ours=ours, peer="Redis loading its dump", theirs=theirs,
                  goal=10.0, smaller_is_better=True)
    flushes.clear()

    def from_table() -> float:
        postgres.checkpoint()
        return ours("--tables", "--flushes", FLUSHES)

    bench.compare(CASES[3], "s", ours=from_table, peer="Redis loading its dump", theirs=lambda: seen["redis"],
                  smaller_is_better=True)
    # After a checkpoint PostgreSQL's log takes up whole pages when they are changed for the first time.
    for case, key, goal in ((CASES[4], "flush_s", 1.0), (CASES[5], "fold_s", None)):
        compare_seen(bench, case, [statistics.median(one[key] for one in of_start[1:]) for of_start in flushes],
                     "the first one after a checkpoint", [of_start[0][key] for of_start in flushes], goal)

    def flush_of_all(*beside) -> float:
        flushes.clear()
        # Of few members most have changed by now, so that their snapshot is not used.
        ours(*(["--tables"] if bench.quick else []), "--flushes", FLUSHES, beside=beside)
        return statistics.median(one["flush_s"] for one in flushes[0][1:])

    aside = bench.scratch / "aside"
    aside.mkdir()
    taking = (program, "--database", database, "--folder", aside, "snapshot")
    bench.compare(CASES[6], "s", ours=lambda: flush_of_all(*taking), peer="the same alone", theirs=flush_of_all,
                  smaller_is_better=True, ours_goal=1.0)


def run(bench: Bench) -> None:
    flush(bench)
    recovery(bench, members_of(bench))
