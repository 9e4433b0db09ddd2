"""What a command pays for the length of its stream: its load behind a million events, and behind a thousand.
Peer: Emmett, which reads a stream whole; its stream is shorter, so the ratio is at least what is printed."""

from pathlib import Path

from harness import Bench, conninfo, npm_folder, url

EMMETT_EVENTS = 20_000
FEW = 1000

CASES = ["p99 of a load, 1M events", "p99 of a load, 1000 events", "p99 of a command, 1M events"]


def run(bench: Bench) -> None:
    many = 20_000 if bench.quick else 1_000_000
    emmett_events = 2_000 if bench.quick else EMMETT_EVENTS
    postgres = bench.postgres()
    ours = conninfo(postgres.database("ours"))
    emmett = npm_folder(Path(__file__).parent / "emmett")
    emmett_url = url(postgres.database("emmett"))
    bench.command("node", "load.mjs", emmett_url, "fill", emmett_events, cwd=emmett)
    for events in (many, FEW):
        bench.program("tideline-bench-load-stream", "--database", ours, "--stream", f"follow-{events}", "--fill", events)
    postgres.settle("ours")

    def behind(events: int, figure: str) -> float:
        return bench.program("tideline-bench-load-stream", "--database", ours, "--stream", f"follow-{events}")[figure]

    def read_by_emmett() -> float:
        return bench.command("node", "load.mjs", emmett_url, "load", 20, cwd=emmett)["p50_ms"]

    peer = f"Emmett 0.42, median behind {emmett_events} events"
    cases = [(many, "load_p99_ms", 5.0), (FEW, "load_p99_ms", 5.0), (many, "command_p99_ms", None)]
    for (events, figure, goal), case in zip(cases, CASES):
        bench.compare(case, "ms", ours=lambda: behind(events, figure), peer=peer, theirs=read_by_emmett,
                      smaller_is_better=True, ours_goal=goal)
