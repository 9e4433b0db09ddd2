"""From journal and faults to the figures of a run."""

import bisect
import statistics
from collections import Counter, defaultdict

from installation import SERVICES

LOST = "lost: acknowledged, but not in the log"
DUPLICATED = "duplicated: acknowledged, but in the log otherwise than once"


class Journal:
    """Counts, and when each service answered what was sent when, in microseconds."""

    def __init__(self, file):
        self.counts = Counter()
        self.acknowledged = defaultdict(list)  # service -> (last attempt begun, answered)
        self.seen = defaultdict(list)  # service -> (writing begun, seen by reading)
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                self.note(line.split("\t"))

    def note(self, columns):
        kind, service, status = columns[1], columns[2], int(columns[3])
        if kind == "sight":
            self.seen[service].append((int(columns[8]), int(columns[10])))
            return
        self.counts["commands"] += 1
        if 200 <= status < 300:
            self.counts["acknowledged"] += 1
            self.acknowledged[service].append((int(columns[9]), int(columns[10])))
        elif status >= 400:
            self.counts["refused"] += 1
        if status and int(columns[7]):
            self.counts["unknown_then_resolved"] += 1


class FirstAnswers:
    """When something that was sent after a moment was first answered."""

    def __init__(self, answers):
        answers.sort()
        self.sent = [sent for sent, _ in answers]
        self.earliest = [answered for _, answered in answers]
        for i in range(len(self.earliest) - 2, -1, -1):
            self.earliest[i] = min(self.earliest[i], self.earliest[i + 1])

    def after(self, moment_us):
        place = bisect.bisect_left(self.sent, moment_us)
        return self.earliest[place] if place < len(self.sent) else None


def recoveries(faults, answers):
    """Of each kind of fault: milliseconds until every service had answered again; None: one never did."""
    first = {service: FirstAnswers(answers[service]) for service in SERVICES}
    found = defaultdict(list)
    for fault in faults:
        times = [first[service].after(fault["over_us"]) for service in SERVICES]
        found[fault["kind"]].append(None if None in times else (max(times) - fault["over_us"]) // 1000)
    return found


def figures(by_kind):
    known = [one for times in by_kind.values() for one in times if one is not None]
    return {
        "median": statistics.median(known) if known else None,
        "max": max(known, default=None),
        "by_kind": {kind: figures_of_kind(times) for kind, times in sorted(by_kind.items())},
    }


def figures_of_kind(times):
    known = [one for one in times if one is not None]
    return {
        "median": statistics.median(known) if known else None,
        "max": max(known, default=None),
        "not": times.count(None),
    }


def summarise(outcome):
    journal, faults, checks = Journal(outcome["journal"]), outcome["faults"], outcome["checks"]
    return {
        **{name: journal.counts[name] for name in ("commands", "acknowledged", "refused", "unknown_then_resolved")},
        "attempts": outcome["attempts"],
        "faults": dict(sorted(Counter(fault["kind"] for fault in faults).items())),
        "left_out": outcome["left_out"],
        "restarts": outcome["restarts"],
        "lost": checks.offences.get(LOST),
        "duplicated": checks.offences.get(DUPLICATED),
        "acknowledges_again_ms": figures(recoveries(faults, journal.acknowledged)),
        "shows_again_ms": figures(recoveries(faults, journal.seen)),
        "events": checks.events,
        "records": checks.records,
        "records_repeated": checks.repeats,
        "digests": checks.digests,
    }


def not_recovered(summary):
    return [
        f"after the fault '{kind}' not every service {what} again"
        for what, figure in (("acknowledged", "acknowledges_again_ms"), ("showed what was written", "shows_again_ms"))
        for kind, found in summary[figure]["by_kind"].items()
        if found["not"]
    ]


def as_markdown(summary):
    acknowledges, shows = summary["acknowledges_again_ms"], summary["shows_again_ms"]
    rows = [
        ("commands acknowledged", f"{summary['acknowledged']:,}"),
        ("refused", f"{summary['refused']:,}"),
        ("outcome unknown at first, resolved by retrying with the same key", f"{summary['unknown_then_resolved']:,}"),
        ("lost", summary["lost"]),
        ("duplicated", summary["duplicated"]),
        ("events in the logs", f"{sum(summary['events'].values()):,}"),
        ("records in the topics; of them repeated", f"{sum(summary['records'].values()):,}; {summary['records_repeated']:,}"),
        ("digests compared; different", f"{summary['digests']['compared']:,}; {summary['digests']['different']}"),
        ("faults", sum(summary["faults"].values())),
        ("processes started again", summary["restarts"]),
        ("until all services acknowledge again: median; longest", both(acknowledges)),
        ("until all services show what is written: median; longest", both(shows)),
    ]
    rows += [("left out", what) for what in summary["left_out"]]
    lines = ["| | |", "|---|---|"] + [f"| {name} | {value} |" for name, value in rows]
    lines += ["", "| fault | times | acknowledges again: median; longest | shows again: median; longest |"]
    lines += ["|---|---|---|---|"]
    for kind, times in summary["faults"].items():
        lines.append(f"| {kind} | {times} | {both(acknowledges['by_kind'][kind])} | {both(shows['by_kind'][kind])} |")
    return "\n".join(lines) + "\n"


def both(found):
    return f"{seconds(found['median'])}; {seconds(found['max'])}"


def seconds(milliseconds):
    return "-" if milliseconds is None else f"{milliseconds / 1000:.2f} s"
