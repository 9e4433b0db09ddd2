"""Servers for the benchmarks of the feed, all behind the same HTTP edge and before the same client: the
service itself over PostgreSQL and Kafka, the design's query on PostgreSQL, and Redis.

TIDELINE_BENCH_GRAPH=FILE adds the friendships of a file of two ids a line; TIDELINE_BENCH_PEOPLE=8000000
changes how many people the made-up graph has, TIDELINE_BENCH_CONTACTS=50 how many contacts each has on
average, for a machine with less memory."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from harness import Bench, BenchFailed, conninfo, say
from web_servers import TICKS_PER_S, WebServer

CONTACTS = int(os.environ.get("TIDELINE_BENCH_CONTACTS", 150))  # mean, of 5,000 at most
PEOPLE, QUICK_PEOPLE = 1_000_000, 20_000
ASKED = 100_000
CONNECTIONS = 64
ALL_CPUS = f"0-{(os.cpu_count() or 1) - 1}"
WARM_UPS_MAX = 40
SETTLED_DEADLINE_S = 300


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
        self.socket.unlink(missing_ok=True)


def graphs(bench: Bench) -> list[tuple[str, list[str]]]:
    """What each is called, and the options that make it."""
    people = int(os.environ.get("TIDELINE_BENCH_PEOPLE", QUICK_PEOPLE if bench.quick else PEOPLE))
    found = [("power law", ["--people", str(people), "--contacts-mean", str(CONTACTS)])]
    file = os.environ.get("TIDELINE_BENCH_GRAPH")
    if file:
        found.insert(0, ("graph of a file", ["--graph", str(Path(file).resolve())]))
    else:
        say(f"  {bench.name}: without TIDELINE_BENCH_GRAPH no figures for the graph of a file")
    return found


def processor_s(roots: list[int]) -> float:
    """Of these processes and all that they have begun."""
    parent, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        pid = int(stat.parent.name)
        parent[pid] = int(fields[1])
        used[pid] = sum(int(ticks) for ticks in fields[11:15]) / TICKS_PER_S
    total = 0.0
    for pid in used:
        above = pid
        while above in parent and above not in roots:
            above = parent[above]
        total += used[pid] if above in roots else 0.0
    return total


class FeedServers:
    """Filled with the same people and moments; ended with the benchmark."""

    def __init__(self, bench: Bench, graph: list[str], with_redis: bool = False, peer_timelines: bool = False):
        self.bench = bench
        self.graph = graph
        self.postgres = bench.postgres()
        self.kafka = bench.kafka()
        self.redis = Redis(bench) if with_redis else None
        self.query_database = conninfo(self.postgres.database("query"))
        self.options = ["--database", conninfo(self.postgres.database("feed")), "--brokers", self.kafka.brokers,
                        "--peer-database", self.query_database]
        if self.redis:
            self.options += ["--redis", str(self.redis.socket)]
        self.servers: list[WebServer] = []
        begun = time.monotonic()
        self.filled = bench.program("tideline-bench-feed", "fill", *self.options, *graph,
                                    *(["--peer-timelines"] if peer_timelines else []))
        self.people = self.filled["people"]
        self.asked = min(ASKED, self.people)
        say(f"  {bench.name}: {self.people} people and {self.filled['friendships']} friendships, filled in "
            f"{time.monotonic() - begun:.0f} s")

    def __enter__(self) -> "FeedServers":
        return self

    def __exit__(self, *_) -> None:
        for server in self.servers:
            server.stop()
        if self.redis:
            self.redis.stop()

    def start(self, kind: str) -> WebServer:
        """service, query or redis."""
        graph = self.graph if kind == "service" else ["--people", str(self.people)]
        server = WebServer([str(self.bench.path_of("tideline-bench-feed")), kind, *self.options, *graph], ALL_CPUS)
        self.servers.append(server)
        return server.listens()

    def warm_up(self, server: WebServer) -> None:
        """Until it gets no faster."""
        before = 0.0
        for _ in range(WARM_UPS_MAX):
            now = self.alone(server, 1 if self.bench.quick else 4)
            if now < before * 1.05:
                return
            before = now

    def warm_up_publishing(self, server: WebServer) -> None:
        """Until what is published is visible no sooner: a broker that has just begun translates its code while
        it is used, for seconds in which others wait for the processors."""
        before = float("inf")
        for _ in range(WARM_UPS_MAX):
            self.ask(server, "/stats?clear=1")
            self.load(server, 1 if self.bench.quick else 4, "--timelines", 0, "--publishes", 1, "--rate", 500)
            self.await_settled(server)
            now = self.ask(server, "/stats")["p99_ms"]
            if now > before * 0.8:
                return
            before = now

    def await_settled(self, server: WebServer) -> None:
        """Until what was published is applied and written."""
        deadline = time.monotonic() + SETTLED_DEADLINE_S
        while not self.ask(server, "/stats")["settled"]:
            if time.monotonic() > deadline:
                raise BenchFailed("what was published is not applied")
            time.sleep(0.02)

    def rest(self) -> None:
        """Until nothing is left to be written of what came before, in whose time it would not be."""
        self.postgres.checkpoint()
        os.sync()

    def alone(self, server: WebServer, seconds: float) -> float:
        return self.ask(server, f"/alone?seconds={seconds}")["pages_per_s"]

    def ask(self, server: WebServer, path: str) -> dict:
        return self.bench.command("curl", "-sf", f"http://127.0.0.1:{server.port}{path}")

    def load(self, server: WebServer, seconds: float, *more: object, asked: int = 0,
             connections: int = CONNECTIONS) -> dict:
        return self.bench.program("tideline-bench-feed-load", "--port", server.port, "--connections", connections,
                                  "--seconds", seconds, "--people", self.people, "--asked", asked or self.asked, *more)

    def pids(self, *servers: WebServer, kafka: bool = False) -> list[int]:
        """With PostgreSQL, and Kafka: whoever works for them."""
        folders = [self.postgres.folder, *([self.kafka.folder] if kafka else [])]
        return [server.process.pid for server in servers] + [
            int((folder / "pid").read_text().split()[0]) for folder in folders]
