"""Runs benchmarks by name. Called by tests/bench/run, which has built and installed everything."""

import argparse
import importlib
import sys
from pathlib import Path

from harness import Bench, BenchFailed, Options, say

NOT_BENCHES = {"feed_servers", "harness", "measure", "opensearch_server", "score_servers", "web_servers"}


def names() -> list[str]:
    files = Path(__file__).parent.glob("*.py")
    return sorted(file.stem for file in files if file.stem not in NOT_BENCHES)


def measure(name: str, options: Options) -> bool:
    bench = Bench(name, options)
    try:
        importlib.import_module(name).run(bench)
    except BenchFailed as failure:
        say(f"{name}: {failure}")
        return False
    finally:
        bench.close()
    if bench.goals_missed:
        say(f"{name}: {bench.goals_missed} of its figures miss their goal")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/bench/run")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--built", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    if asked.list:
        for name in names():
            print(f"{name}: {'; '.join(importlib.import_module(name).CASES)}")
        return 0
    unknown = sorted(set(asked.names) - set(names()))
    if unknown or not asked.names or asked.rounds < 1:
        parser.error(f"unknown: {', '.join(unknown)}" if unknown else "see --list")
    rounds = 1 if asked.quick else asked.rounds
    options = Options(build=asked.built, rounds=rounds, quick=asked.quick)
    return 0 if all([measure(name, options) for name in asked.names]) else 1


if __name__ == "__main__":
    sys.exit(main())
