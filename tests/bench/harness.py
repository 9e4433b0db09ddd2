"""What every benchmark stands on: real servers of its own, turns, ratios, one JSON line a figure.

A benchmark is a module tests/bench/<name>.py with

    CASES = ["64 writers", ...]             what --list shows
    def run(bench: Bench) -> None: ...      calls bench.compare() for each case

compare() measures ours and the peer in turns, `rounds` times after a warm-up of each, and prints the
median of the ratios with the smallest and the largest. Whoever leaves out the peer gets no figure.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "deploy" / "parts"


class BenchFailed(Exception):
    """A figure that cannot be had: the run ends with status 1."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def part(name: str, action: str, folder: Path, *arguments: str) -> None:
    command = [str(PARTS / name), action, "--data", str(folder), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise BenchFailed(f"{' '.join(command)}: {done.stdout}")


class Postgres:
    """A cluster on disk, as deploy/run would make it: durable, with its usual settings."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_ports(1)[0]
        part("postgres", "start", folder, "--port", str(self.port), "--shared-buffers", "1GB")
        self._use_wal_again()

    def _use_wal_again(self) -> None:
        """As in a cluster that has run for a while, segments of its log are used again. In a new one each
        is first filled with zeros within somebody's commit."""
        segments = "SELECT pg_logical_emit_message(false, '', ''); SELECT pg_switch_wal();\n" * 64
        subprocess.run(["psql", self._admin(), "-qX", "-v", "ON_ERROR_STOP=1"], input=segments, text=True, check=True,
                       stdout=subprocess.DEVNULL)
        self.checkpoint()

    def checkpoint(self) -> None:
        subprocess.run(["psql", self._admin(), "-qX", "-c", "CHECKPOINT"], check=True)

    def settle(self, database: str) -> None:
        """What autovacuum and the next checkpoint would do beside the measurements, with tables just filled."""
        subprocess.run(["psql", f"{self._admin()} dbname={database}", "-qX", "-c", "VACUUM (FREEZE, ANALYZE)"], check=True)
        self.checkpoint()

    def _admin(self) -> str:
        return (self.folder / "conninfo").read_text().strip()

    def database(self, name: str) -> dict[str, str]:
        """A new, empty database; its conninfo as keywords."""
        drop = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"
        done = subprocess.run(["psql", self._admin(), "-qX", "-c", drop], capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchFailed(f"psql: {done.stderr}")
        part("postgres", "database", self.folder, "--name", name)
        line = (self.folder / "databases" / name).read_text()
        return dict(word.split("=", 1) for word in line.split())

    def stop(self) -> None:
        part("postgres", "stop", self.folder)


def conninfo(database: dict[str, str]) -> str:
    return " ".join(f"{key}={value}" for key, value in database.items())


def url(database: dict[str, str]) -> str:
    return "postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**database)


class Kafka:
    def __init__(self, folder: Path):
        self.folder = folder
        port, controller = free_ports(2)
        self.brokers = f"127.0.0.1:{port}"
        part("kafka", "start", folder, "--port", str(port), "--controller-port", str(controller))

    def stop(self) -> None:
        part("kafka", "stop", self.folder)


@dataclass(frozen=True)
class Options:
    build: Path
    rounds: int
    quick: bool  # small inputs: shows that the benchmark works, not how fast anything is


class Bench:
    def __init__(self, name: str, options: Options):
        self.name = name
        self.rounds = options.rounds
        self.quick = options.quick
        self.goals_missed = 0
        self._build = options.build
        self._servers: list[Postgres | Kafka] = []
        # The database's own user must be able to enter it.
        self.scratch = Path(tempfile.mkdtemp(prefix=f"tideline-bench-{name}-", dir="/var/tmp"))
        self.scratch.chmod(0o755)

    def close(self) -> None:
        for server in reversed(self._servers):
            server.stop()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def postgres(self) -> Postgres:
        server = Postgres(self.scratch / f"postgres-{len(self._servers)}")
        self._servers.append(server)
        return server

    def kafka(self) -> Kafka:
        server = Kafka(self.scratch / f"kafka-{len(self._servers)}")
        self._servers.append(server)
        return server

    def path_of(self, name: str) -> Path:
        """A compiled part of a benchmark."""
        return self._build / "tests" / "bench" / name

    def program(self, name: str, *arguments: object) -> dict:
        """Runs a compiled part of a benchmark; returns the JSON object that it prints."""
        return self.command(self.path_of(name), *arguments)

    def command(self, *words: object, cwd: Path | None = None) -> dict:
        line = [str(word) for word in words]
        done = subprocess.run(line, cwd=cwd, capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchFailed(f"{line[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def compare(
        self,
        case: str,
        unit: str,
        ours: Callable[[], float],
        peer: str,
        theirs: Callable[[], float],
        goal: float | None = None,
        smaller_is_better: bool = False,
        ours_goal: float | None = None,
    ) -> float:
        """goal: least ratio. ours_goal: bound on our own figure, where that is the promise. Returns the
        median ratio."""
        ours_seen, theirs_seen = [], []
        for turn in range(self.rounds + 1):
            mine, other = ours(), theirs()
            say(f"  {self.name}, {case}, {'warm-up' if turn == 0 else f'round {turn}'}: "
                f"{mine:.4g} {unit}, {peer} {other:.4g}")
            if turn > 0:
                ours_seen.append(mine)
                theirs_seen.append(other)
        pairs = zip(ours_seen, theirs_seen)
        ratios = [(b / a if smaller_is_better else a / b) for a, b in pairs]
        figure = {
            "bench": self.name,
            "case": case,
            "unit": unit,
            "ours": rounded(statistics.median(ours_seen)),
            "peer": peer,
            "theirs": rounded(statistics.median(theirs_seen)),
            "ratio": rounded(statistics.median(ratios)),
            "ratio_min": rounded(min(ratios)),
            "ratio_max": rounded(max(ratios)),
            "rounds": self.rounds,
        }
        met = True
        if goal is not None:
            figure["goal"] = goal
            met = figure["ratio"] >= goal
        if ours_goal is not None:
            figure["ours_goal"] = ours_goal
            within = figure["ours"] <= ours_goal if smaller_is_better else figure["ours"] >= ours_goal
            met = met and within
        self.goals_missed += not met
        print(json.dumps(figure), flush=True)
        return statistics.median(ratios)


def rounded(value: float) -> float:
    return float(f"{value:.4g}")


def npm_folder(folder: Path) -> Path:
    """The peer's packages as pinned in its package-lock.json, installed beside the build once."""
    target = ROOT / "build" / "bench" / folder.name
    say(f"npm packages of {folder.name}")
    done = subprocess.run([ROOT / "tests/support/npm_packages", folder, target], stdout=sys.stderr)
    if done.returncode != 0:
        raise BenchFailed("the peer's npm packages cannot be installed")
    return target
