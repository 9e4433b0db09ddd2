"""What the scoring service writes to its tables and how it comes back: a flush, and a start at 30 million people
against Redis that loads its dump of the same members."""

import json
import socket
import statistics
import subprocess
import time

from harness import Bench, BenchFailed, conninfo, say
from ports import free_ports
from score_servers import REDIS, START_DEADLINE_S, Server, members_of

CASES = ["flush of 100,000 people", "recovery from a snapshot", "recovery from the table",
         "flush of 100,000 people of all"]
FLUSHES = 4


def flush(bench: Bench) -> None:
    members = 100_000 if bench.quick else 3_000_000
    postgres = bench.postgres()
    seen: dict = {}

    def fresh(key: str) -> float:
        nonlocal seen
        database = conninfo(postgres.database("scores"))
        seen = bench.program("tideline-bench-score", "--members", members, "tables", "--database", database)
        return seen[key]

    bench.compare(CASES[0], "s", ours=lambda: fresh("flush_s"),
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
    redis = (*REDIS, "--dir", dump)
    server = Server(*redis)
    try:
        bench.program("tideline-bench-score-load", "--port", server.port, "--command", "fill", "--members", members)
        if ask(server.port, "SAVE") != "+OK":
            raise BenchFailed("Redis cannot save its dump")
    finally:
        server.stop()
    seen: dict = {}
    flushes: list[list[float]] = []

    def ours(*how: str) -> float:
        line = [str(word) for word in (program, *where, "start", *how)]
        begun = time.monotonic()
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
            answer = process.stdout.readline()
            took = time.monotonic() - begun
            flushes.append([json.loads(line)["flush_s"] for line in process.stdout])
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

    bench.compare(CASES[1], "s", ours=ours, peer="Redis loading its dump", theirs=theirs,
                  goal=10.0, smaller_is_better=True)
    flushes.clear()

    def from_table() -> float:
        postgres.checkpoint()
        return ours("--tables", "--flushes", FLUSHES)

    bench.compare(CASES[2], "s", ours=from_table, peer="Redis loading its dump", theirs=lambda: seen["redis"],
                  smaller_is_better=True)
    # The first one has PostgreSQL's log take up whole pages, for each is changed for the first time since.
    first = iter([flush[0] for flush in flushes])
    later = iter([statistics.median(flush[1:]) for flush in flushes])
    bench.compare(CASES[3], "s", ours=lambda: next(later), peer="the first one after a checkpoint",
                  theirs=lambda: next(first), smaller_is_better=True, ours_goal=1.0)


def run(bench: Bench) -> None:
    flush(bench)
    recovery(bench, members_of(bench))
