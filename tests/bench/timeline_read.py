"""The newest 20 moments of a timeline with their contents: from the service, from the design's query on
PostgreSQL with every index that helps it, and from Redis (LRANGE and MGET of finished texts, without any
rule of who may see what). Over HTTP, and the data paths alone, in one process each. Graphs and their
options are those of feed_servers.py."""

from feed_servers import FeedServers, graphs
from harness import Bench

PEERS = {"query": ("PostgreSQL, the design's query", 20.0, 200.0),
         "redis": ("Redis 7, LRANGE and MGET", 1.5, 20.0)}

CASES = [f"{graph}, {what}, {peer}" for graph in ("graph of a file", "power law") for peer in PEERS
         for what in ("over HTTP", "p99 over HTTP", "alone")]


def run(bench: Bench) -> None:
    for name, graph in graphs(bench):
        measure(bench, name, graph)


def measure(bench: Bench, name: str, graph: list[str]) -> None:
    seconds = 1 if bench.quick else 8
    with FeedServers(bench, graph, with_redis=True) as servers:
        ours = servers.start("service")
        servers.warm_up(ours)
        for kind, (peer, goal, goal_alone) in PEERS.items():
            theirs = servers.start(kind)
            servers.warm_up(theirs)
            p99_ms: dict[str, list[float]] = {"ours": [], "theirs": []}

            def over_http(server, whose: str) -> float:
                measured = servers.load(server, seconds)
                p99_ms[whose].append(measured["p99_ms"])
                return measured["requests_per_s"]

            bench.compare(f"{name}, over HTTP, {kind}", "requests/s", ours=lambda: over_http(ours, "ours"),
                          peer=peer, theirs=lambda: over_http(theirs, "theirs"), goal=goal)
            seen = {whose: iter(figures) for whose, figures in p99_ms.items()}
            bench.compare(f"{name}, p99 over HTTP, {kind}", "ms", ours=lambda: next(seen["ours"]), peer=peer,
                          theirs=lambda: next(seen["theirs"]), smaller_is_better=True)
            bench.compare(f"{name}, alone, {kind}", "pages/s", ours=lambda: servers.alone(ours, seconds),
                          peer=peer, theirs=lambda: servers.alone(theirs, seconds), goal=goal_alone)
