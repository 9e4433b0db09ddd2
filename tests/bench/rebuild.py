"""A read model rebuilt by the operator's command: contacts of social-graph, from the first event of a
topic of 16 partitions to the exchange of the tables. Peer: a plain librdkafka consumer that only counts
the same records. TIDELINE_BENCH_EVENTS: how many, for a machine with less time."""

import os

from harness import Bench, conninfo

CASES = ["contacts"]
EVENTS = 10_000_000
QUICK_EVENTS = 100_000


def run(bench: Bench) -> None:
    events = QUICK_EVENTS if bench.quick else int(os.environ.get("TIDELINE_BENCH_EVENTS", EVENTS))
    kafka = bench.kafka()
    postgres = bench.postgres()

    def program(*arguments: object) -> float:
        return bench.program("tideline-bench-rebuild", "--brokers", kafka.brokers, *arguments)["events_per_s"]

    program("--fill", events)
    bench.compare(CASES[0], "events/s",
                  # A database of its own each time: nothing of the last round is left to build upon.
                  ours=lambda: program("--mode", "ours", "--database", conninfo(postgres.database("ours"))),
                  peer="librdkafka consumer that only counts",
                  theirs=lambda: program("--mode", "bare"))
