"""Events through a projection: consumed, applied and, for one with a table, upserted and committed with
its positions. One topic of 16 partitions is read from its first event to its last. Peers: a plain
librdkafka consumer that only counts the same records, and Emmett's asynchronous projection with the
same upsert over its own store."""

from pathlib import Path

from harness import Bench, conninfo, npm_folder, url

DATA_BYTES = 250
KEYS = 10_000
EMMETT_BATCH = 5_000  # faster than its default of 100

CASES = ["SQL projection", "projection in memory", "SQL projection, Emmett"]


def run(bench: Bench) -> None:
    events = 50_000 if bench.quick else 1_000_000
    emmett_events = 2_000 if bench.quick else 20_000
    kafka = bench.kafka()
    postgres = bench.postgres()
    ours = conninfo(postgres.database("ours"))

    def program(*arguments: object) -> dict:
        return bench.program("tideline-bench-project", "--brokers", kafka.brokers, *arguments)

    program("--fill", events, "--keys", KEYS, "--data-bytes", DATA_BYTES)

    def projected(mode: str) -> float:
        return program("--mode", mode, "--database", ours)["events_per_s"]

    def counted() -> float:
        return program("--mode", "bare")["events_per_s"]

    bare = "librdkafka consumer that only counts"
    bench.compare("SQL projection", "events/s", ours=lambda: projected("sql"), peer=bare,
                  theirs=counted, goal=0.15)
    bench.compare("projection in memory", "events/s", ours=lambda: projected("memory"), peer=bare,
                  theirs=counted, goal=0.60)

    emmett = npm_folder(Path(__file__).parent / "emmett")
    emmett_url = url(postgres.database("emmett"))
    bench.command("node", "project.mjs", emmett_url, "fill", emmett_events, emmett_events // 20,
                  DATA_BYTES, cwd=emmett)

    def emmett_projected() -> float:
        return bench.command("node", "project.mjs", emmett_url, "project", EMMETT_BATCH,
                             cwd=emmett)["events_per_s"]

    bench.compare("SQL projection, Emmett", "events/s", ours=lambda: projected("sql"),
                  peer="Emmett 0.42", theirs=emmett_projected, goal=10.0)
