"""From the command to the reader: moments are published over HTTP, appended, relayed, read from Kafka,
delivered to their readers' timelines and written to the tables, at full load for a minute and then at half
of it. Peer: the same moments by the same people, each one transaction of PostgreSQL that inserts it and,
by INSERT ... SELECT, a row for each reader. Both are durable, and both begin with everybody's timelines of
the same moments and keep what is delivered. Graphs and their options are those of feed_servers.py."""

import subprocess
import time

from feed_servers import FeedServers, graphs, processor_s
from harness import Bench, BenchFailed, say

AUTHORS = 20_000
PUBLISHERS = 512  # who wait for an answer at once, over HTTP
CLIENTS = 8  # of PostgreSQL
SHARES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
PEER = "PostgreSQL, INSERT ... SELECT"

FIGURES = ["deliveries", "processor time of a delivery",
           *[f"{share} from publishing to visible at half load" for share in SHARES]]
CASES = [f"{graph}, {figure}" for graph in ("graph of a file", "power law") for figure in FIGURES]

# By the people of tests/bench/feed_people.hpp: who is at a place of the shuffled order.
INSERT_SELECT = """\\set place random(0, {asked} - 1)
\\set author (:place * 2654435761) % {people}
\\set id random(1, 4611686018427387904)
BEGIN;
INSERT INTO moment (id, author, audience, content, published_at)
  VALUES (:id, :author, 'public', repeat('x', 200), now()::text);
INSERT INTO timeline SELECT other, :id::bigint FROM contact WHERE one = :author UNION ALL SELECT :author, :id;
COMMIT;
"""


class Ours:
    def __init__(self, servers: FeedServers, authors: int):
        self.servers = servers
        self.authors = authors
        self.server = servers.start("service")
        servers.warm_up_publishing(self.server)
        self.processor_us: list[float] = []
        self.moments_per_s = 0.0

    def publish(self, seconds: float, *more: object) -> dict:
        """What /stats says of it, with "seconds" until all was applied and written."""
        self.servers.ask(self.server, "/stats?clear=1")
        begun = time.monotonic()
        self.servers.load(self.server, seconds, "--timelines", 0, "--publishes", 1, *more, asked=self.authors,
                          connections=PUBLISHERS)
        self.servers.await_settled(self.server)
        took = time.monotonic() - begun
        return {**self.servers.ask(self.server, "/stats"), "seconds": took}

    def deliveries_per_s(self, seconds: float) -> float:
        self.servers.rest()
        pids = self.servers.pids(self.server, kafka=True)
        before = processor_s(pids)
        stats = self.publish(seconds)
        self.processor_us.append((processor_s(pids) - before) / stats["deliveries"] * 1e6)
        self.moments_per_s = stats["moments"] / stats["seconds"]
        return stats["deliveries"] / stats["seconds"]


class Theirs:
    def __init__(self, servers: FeedServers, authors: int):
        self.servers = servers
        self.script = servers.bench.scratch / "insert_select.sql"
        self.script.write_text(INSERT_SELECT.format(asked=authors, people=servers.people))
        self.logs = servers.bench.scratch / "insert-select-log"
        self.processor_us: list[float] = []
        self.moments_per_s = 0.0
        self.delivered = self.count_deliveries()

    def sql(self, statement: str) -> str:
        done = subprocess.run(["psql", self.servers.query_database, "-qXAt", "-c", statement], capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise BenchFailed(f"psql: {done.stderr}")
        return done.stdout.strip()

    def vacuum(self) -> None:
        """What autovacuum would do in the other's minute."""
        self.sql("VACUUM ANALYZE timeline")

    def count_deliveries(self) -> int:
        self.vacuum()
        return int(self.sql("SELECT count(*) FROM timeline"))

    def pgbench(self, seconds: float, *more: str) -> None:
        command = ["pgbench", "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2", "-T", str(int(seconds)),
                   "-f", str(self.script), *more, self.servers.query_database]
        done = subprocess.run(command, capture_output=True, text=True)
        rates = [line for line in done.stdout.splitlines() if line.startswith("tps = ")]
        if done.returncode != 0 or not rates:
            raise BenchFailed(f"pgbench: {done.stderr[-1000:]}")
        self.moments_per_s = float(rates[0].split()[2])

    def deliveries_per_s(self, seconds: float) -> float:
        self.servers.rest()
        pids = self.servers.pids()
        before = processor_s(pids)
        self.pgbench(seconds)
        used = processor_s(pids) - before
        count = self.count_deliveries()
        deliveries, self.delivered = count - self.delivered, count
        self.processor_us.append(used / deliveries * 1e6)
        return deliveries / seconds

    def latencies_ms(self, seconds: float, rate: float) -> dict[str, float]:
        """From the scheduled start of each transaction to its commit."""
        self.pgbench(seconds, f"--rate={rate:.0f}", "--log", f"--log-prefix={self.logs}")
        took_us = []
        for file in self.logs.parent.glob(self.logs.name + ".*"):
            took_us += [float(line.split()[2]) for line in file.read_text().splitlines()]
            file.unlink()
        self.vacuum()
        took_us.sort()
        return {share: took_us[int(len(took_us) * part)] / 1000 for share, part in SHARES.items()}


def run(bench: Bench) -> None:
    for name, graph in graphs(bench):
        measure(bench, name, graph)


def measure(bench: Bench, name: str, graph: list[str]) -> None:
    seconds = 2 if bench.quick else 60
    with FeedServers(bench, graph, peer_timelines=True) as servers:
        authors = min(AUTHORS, servers.asked)
        ours, theirs = Ours(servers, authors), Theirs(servers, authors)
        bench.compare(f"{name}, {FIGURES[0]}", "deliveries/s", ours=lambda: ours.deliveries_per_s(seconds), peer=PEER,
                      theirs=lambda: theirs.deliveries_per_s(seconds), goal=10.0)
        say(f"  {bench.name}, {name}: the last ones published {ours.moments_per_s:.0f} moments/s, "
            f"{PEER} {theirs.moments_per_s:.0f}")
        ours_us, theirs_us = iter(ours.processor_us), iter(theirs.processor_us)
        bench.compare(f"{name}, {FIGURES[1]}", "us", ours=lambda: next(ours_us), peer=PEER,
                      theirs=lambda: next(theirs_us), smaller_is_better=True)

        ours_rate, theirs_rate = ours.moments_per_s / 2, theirs.moments_per_s / 2
        seen: dict[str, dict[str, list[float]]] = {"ours": {}, "theirs": {}}

        def take(whose: str, measured: dict, key: str) -> None:
            for share in SHARES:
                seen[whose].setdefault(share, []).append(measured[key.format(share)])

        for _ in range(bench.rounds + 1):
            servers.rest()
            take("ours", ours.publish(seconds, "--rate", int(ours_rate)), "{}_ms")
            servers.rest()
            take("theirs", theirs.latencies_ms(seconds, theirs_rate), "{}")
        for share in SHARES:
            mine, other = iter(seen["ours"][share]), iter(seen["theirs"][share])
            bench.compare(f"{name}, {share} from publishing to visible at half load", "ms", ours=lambda: next(mine),
                          peer=f"{PEER}, at half of its load", theirs=lambda: next(other), smaller_is_better=True)
