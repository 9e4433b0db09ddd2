"""failover_test.py [OPTION]... : no single copy of the data on a real Kubernetes, with the options of under_load.py.

Installs Tideline with three PostgreSQLs and three brokers, and under load kills members, cuts them off from each other, from
clients and from Kubernetes, and loses their nodes. Prints a table as Markdown.
"""
import pathlib
import sys

from store_faults import StoreFaults, pauses
from report import Journal
from under_load import install, main

OVERLAY = pathlib.Path(__file__).resolve().parent / "overlays/replicated"


def report(rows, journal):
    journal = Journal(journal)
    print(f"{journal.counts['commands']:,} commands, {journal.counts['acknowledged']:,} acknowledged\n")
    print("| fault | seconds | commands meanwhile | requests failed | longest without an acknowledgement | without a new sight |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        acknowledged, seen = pauses(journal, row)
        print(f"| {row.name} | {row.seconds:.1f} | {row.commands} | {row.failures} | {acknowledged:.1f} s | {seen:.1f} s |")


if __name__ == "__main__":
    sys.exit(main("tests/k8s/failover_test.py", lambda suite, _: install(suite, OVERLAY), OVERLAY,
                  lambda suite: StoreFaults(suite).all(), report))
