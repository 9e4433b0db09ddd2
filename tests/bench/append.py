"""Appends to new streams, as commands make them. Peers on the same cluster: pgbench with prepared
transactions of one plain insert of as many bytes, and Emmett."""

import subprocess
from pathlib import Path

from harness import Bench, BenchFailed, conninfo, npm_folder, url

WRITERS = [1, 16, 64]
EMMETT_WORKERS = 16
DATA_BYTES = 250

CASES = [
    *[f"{writers} writers" for writers in WRITERS],
    "64 writers, idempotency keys",
    "64 writers, 3 events a command",
    *[f"{writers} writers, Emmett" for writers in (EMMETT_WORKERS, 64)],
    "p99 latency at half load",
]

PLAIN_TABLE = "CREATE TABLE plain (id bigserial PRIMARY KEY, data text NOT NULL)"
PLAIN_INSERT = f"INSERT INTO plain (data) VALUES ('{'x' * DATA_BYTES}');\n"


class Pgbench:
    def __init__(self, bench: Bench, database: dict[str, str]):
        self.database = conninfo(database)
        self.script = bench.scratch / "plain.sql"
        self.script.write_text(PLAIN_INSERT)
        self.logs = bench.scratch / "pgbench-log"
        subprocess.run(["psql", self.database, "-qX", "-c", PLAIN_TABLE], check=True)

    def run(self, writers: int, seconds: float, *more: str) -> str:
        command = ["pgbench", "-n", "-M", "prepared", "-c", str(writers), "-j", str(min(writers, 2)),
                   "-T", str(int(seconds)), "-f", str(self.script), *more, self.database]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchFailed(f"pgbench: {done.stderr[-1000:]}")
        return done.stdout

    def transactions_per_s(self, writers: int, seconds: float) -> float:
        for line in self.run(writers, seconds).splitlines():
            if line.startswith("tps = "):
                return float(line.split()[2])
        raise BenchFailed("pgbench printed no rate")

    def p99_ms(self, writers: int, seconds: float, rate: float) -> float:
        """From the scheduled start of each transaction, as ours: its log's third and last column."""
        prefix = f"--log-prefix={self.logs}"
        self.run(writers, seconds, f"--rate={rate:.0f}", "--log", prefix)
        latencies_us = []
        for file in self.logs.parent.glob(self.logs.name + ".*"):
            latencies_us += [float(line.split()[2]) for line in file.read_text().splitlines()]
            file.unlink()
        latencies_us.sort()
        return latencies_us[int(len(latencies_us) * 0.99)] / 1000


def run(bench: Bench) -> None:
    seconds = 2 if bench.quick else 8
    postgres = bench.postgres()
    ours = conninfo(postgres.database("ours"))
    pgbench = Pgbench(bench, postgres.database("plain"))

    def append(writers: int, *more: object) -> dict:
        return bench.program("tideline-bench-append", "--database", ours, "--writers", writers,
                             "--seconds", seconds, "--data-bytes", DATA_BYTES, *more)

    fastest = 0.0

    def events_per_s(writers: int) -> float:
        nonlocal fastest
        rate = append(writers)["events_per_s"]
        fastest = max(fastest, rate)
        return rate

    for writers in WRITERS:
        bench.compare(f"{writers} writers", "events/s",
                      ours=lambda: events_per_s(writers),
                      peer="pgbench, one insert", theirs=lambda: pgbench.transactions_per_s(writers, seconds),
                      goal=3.0 if writers == 64 else None)

    for case, option in [("idempotency keys", ["--keys"]), ("3 events a command", ["--streams", 3])]:
        bench.compare(f"64 writers, {case}", "events/s",
                      ours=lambda: append(64, *option)["events_per_s"],
                      peer="pgbench, one insert", theirs=lambda: pgbench.transactions_per_s(64, seconds))

    emmett = npm_folder(Path(__file__).parent / "emmett")
    emmett_url = url(postgres.database("emmett"))

    def emmett_events_per_s() -> float:
        return bench.command("node", "append.mjs", emmett_url, EMMETT_WORKERS, seconds, DATA_BYTES,
                             cwd=emmett)["events_per_s"]

    for writers in (EMMETT_WORKERS, 64):
        bench.compare(f"{writers} writers, Emmett", "events/s",
                      ours=lambda: events_per_s(writers),
                      peer=f"Emmett 0.42, {EMMETT_WORKERS} workers", theirs=emmett_events_per_s,
                      goal=10.0 if writers == 64 else None)

    # Each at half of what it does at its fastest.
    ours_rate = fastest / 2
    plain_rate = pgbench.transactions_per_s(64, seconds) / 2
    bench.compare("p99 latency at half load", "ms",
                  ours=lambda: append(64, "--rate", int(ours_rate))["p99_ms"],
                  peer="pgbench at half of its load",
                  theirs=lambda: pgbench.p99_ms(64, seconds, plain_rate), smaller_is_better=True)
