"""What a client does with the feed: 60 % timelines, 30 % authors' pages, 10 % moments that are published, by
everybody as often as by anybody else, and by a few much more often. Both cores are full, so that the engine may
come to be more than its five seconds behind; what is refused then is not among the requests, and where that is
more than one in a hundred there is no figure. Both are asked for authors' pages for a minute before: what nobody
has read yet is read from the tables once, and that is not what is measured. A turn ends when what was published
is applied and written. The service, with its store, relay, Kafka, engine and tables, against the design's query
and plain inserts on PostgreSQL. Graphs and their options are those of feed_servers.py."""

import time

from feed_servers import FeedServers, graphs
from harness import Bench, BenchFailed

SHARES = ["--timelines", 60, "--authors", 30, "--publishes", 10]
USERS = {"uniform": [], "skewed": ["--skewed"]}
PEER = "PostgreSQL, the design's query"
REFUSED_MAX = 0.01

CASES = [f"{graph}, {users}{figure}" for graph in ("graph of a file", "power law") for users in USERS
         for figure in ("", ", p99")]


def run(bench: Bench) -> None:
    for name, graph in graphs(bench):
        measure(bench, name, graph)


def measure(bench: Bench, name: str, graph: list[str]) -> None:
    seconds = 2 if bench.quick else 10
    with FeedServers(bench, graph) as servers:
        ours, theirs = servers.start("service"), servers.start("query")
        servers.warm_up(ours)
        for server in (ours, theirs):
            servers.load(server, 1 if bench.quick else 60, "--authors", 1, "--timelines", 0, "--publishes", 0)
        servers.warm_up_publishing(ours)
        for users, skewed in USERS.items():
            p99_ms: dict[str, list[float]] = {"ours": [], "theirs": []}

            def requests_per_s(server, whose: str) -> float:
                measured = servers.load(server, seconds, *SHARES, *skewed, "--may-be-refused")
                if measured["refused"] > REFUSED_MAX * measured["requests_per_s"] * seconds:
                    raise BenchFailed(f"{name}, {users}, {whose}: {measured['refused']} requests were refused")
                p99_ms[whose].append(measured["p99_ms"])
                loaded = time.monotonic()
                servers.await_settled(ours)
                return measured["requests_per_s"] * seconds / (seconds + time.monotonic() - loaded)

            bench.compare(f"{name}, {users}", "requests/s", ours=lambda: requests_per_s(ours, "ours"), peer=PEER,
                          theirs=lambda: requests_per_s(theirs, "theirs"))
            seen = {whose: iter(figures) for whose, figures in p99_ms.items()}
            bench.compare(f"{name}, {users}, p99", "ms", ours=lambda: next(seen["ours"]), peer=PEER,
                          theirs=lambda: next(seen["theirs"]), smaller_is_better=True)
