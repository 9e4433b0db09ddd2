"""The relay, from the event table to records that Kafka has acknowledged. Peer: a bare librdkafka
producer of the same records (idempotence, acks=all, the same partitions, headers and bytes), which
has them in memory, encoded, before its time begins."""

from harness import Bench, conninfo

BACKLOG_EVENTS = 600_000

CASES = ["backlog", "p50 latency at half load", "p99 latency at half load"]


def run(bench: Bench) -> None:
    postgres = bench.postgres()
    kafka = bench.kafka()
    invocations = 0

    def relay(command: str, database: str, *more: object) -> dict:
        nonlocal invocations
        invocations += 1
        # Names of one length, so that all records are of one size.
        topic = f"bench{invocations:04d}"
        return bench.program("tideline-bench-relay", command, "--database", database,
                             "--brokers", kafka.brokers, "--topic", topic, *more)

    backlog = conninfo(postgres.database("backlog"))
    relay("fill", backlog, "--events", 20_000 if bench.quick else BACKLOG_EVENTS)
    bench.compare("backlog", "events/s",
                  ours=lambda: relay("backlog", backlog)["events_per_s"],
                  peer="bare librdkafka producer",
                  theirs=lambda: relay("backlog", backlog, "--bare")["events_per_s"],
                  goal=0.70)

    # Commands, relay and a consumer together, as one machine runs them: half of what they do when
    # nobody waits. The peer produces to the same consumer at that rate, without any database.
    seconds = 3 if bench.quick else 10

    def latency(*more: object) -> dict:
        return relay("latency", conninfo(postgres.database("latency")), "--seconds", seconds, *more)

    rate = latency()["events_per_s"] / 2
    for share in ["p50", "p99"]:
        bench.compare(f"{share} latency at half load", "ms",
                      ours=lambda: latency("--rate", rate)[f"{share}_ms"],
                      peer=f"bare producer at {rate:.0f}/s, produce to consume",
                      theirs=lambda: latency("--rate", rate, "--bare")[f"{share}_ms"],
                      smaller_is_better=True, ours_goal=25.0 if share == "p99" else None)
