"""The laws, applied when the faults are over. Each check yields findings: texts, none when all is well."""

import json
import subprocess
import time

import timelines
import told
import topics
from installation import ROOT, SERVICES, Trouble, run

HERE = ROOT / "tests/chaos"
QUIET_SECONDS = 600


def concerns(service, line):
    """Whether a line of the journal is a command of the service, or one that services react to."""
    _, kind, owner, _ = line.split("\t", 3)
    return (owner == service and kind != "sight") or kind == "account-close"


def lags(home):
    """What is not published or not applied yet, by service: events, or why that is not known."""
    found = {}
    for service, health in home.healths():
        if isinstance(health, str):
            found[service] = health
            continue
        behind = {part: [one["lag"], one["detail"]] for part, one in health["parts"].items() if one["lag"]}
        if health["lag"]:
            found[service] = behind or health["lag"]
    return found


def await_quiet(home):
    """Everything is published and applied. Twice in a row: what is applied may cause something."""
    deadline = time.monotonic() + QUIET_SECONDS
    quiet = 0
    while quiet < 2:
        lag = lags(home)
        quiet = 0 if lag else quiet + 1
        if lag and time.monotonic() > deadline:
            raise Trouble(f"not all is applied after {QUIET_SECONDS} s of quiet: {lag}")
        time.sleep(1)


class Checks:
    """Of an installation: here, or on a cluster (tests/k8s), which has the same functions for checks."""

    def __init__(self, installation, journal, accounts):
        self.home = installation
        self.journal = journal
        self.accounts = accounts
        self.events = {}
        self.records = {}
        self.repeats = 0
        self.digests = {"compared": 0, "different": 0}
        self.offences = {}  # law -> count

    def sql(self, service, query):
        return self.home.psql(service, "-At", "-c", query).strip()

    def laws_of(self, service, script, **variables):
        settings = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        found = self.home.psql(service, "-q", *settings, "-f", HERE / script)
        return [line for line in found.splitlines() if line.startswith("{")]

    def judge(self, service, lines):
        for line in lines:
            law = json.loads(line)
            self.offences[law["law"]] = self.offences.get(law["law"], 0) + law["offences"]
            if law["offences"]:
                yield f"{service}: {law['law']}: {law['offences']}, such as {json.dumps(law['examples'])}"

    def all(self):
        return [self.logs, self.topics, self.read_models, self.reads, self.demo]

    def logs(self):
        for service in SERVICES:
            self.events[service] = int(self.sql(service, "SELECT count(*) FROM event"))
            lines = self.home.home / f"journal.{service}"
            with open(self.journal, encoding="utf-8") as whole, open(lines, "w", encoding="utf-8") as own:
                own.writelines(line for line in whole if concerns(service, line))
            found = self.laws_of(
                service, "laws.sql", own=service, journal=str(lines), run=f"{self.home.run_name}."
            )
            lines.unlink()
            if len(found) < 10:
                yield f"{service}: only {len(found)} laws were judged"
            yield from self.judge(service, found)
        left = self.sql(
            "social-graph",
            "SELECT count(*) FROM contact JOIN person ON owner = account_id WHERE closed AND relation <> 'none'",
        )
        if left != "0":
            yield f"social-graph: {left} contacts and requests of accounts that are closed"

    def topics(self):
        for service in SERVICES:
            file = self.home.home / f"records.{service}"
            self.records[service], repeats, order = topics.dump(self.home.kcat, service, file)
            self.repeats += repeats
            yield from self.judge(service, [order, *self.laws_of(service, "topics.sql", records=str(file))])
            file.unlink()

    def read_models(self):
        """Rebuilt from zero beside the running service, and compared by digest."""
        for service in SERVICES:
            done = self.home.operation(service, "rebuild", "--all", "--verify")
            reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            self.digests["compared"] += len(reports)
            for report in reports:
                if not report.get("equal"):
                    self.digests["different"] += 1
                    yield f"{service}: a read model differs from its rebuild: {json.dumps(report)}"
            if done.returncode != 0 or not reports:
                yield f"{service}: rebuild --all --verify ended with {done.returncode}: {done.stderr.strip()[-600:]}"

    def reads(self):
        """What everybody reads from memory is what the logs say, and the same after it was built anew."""
        before = self.read_back("before")
        yield from self.opinions(before)
        for service in ("feed", "scoring"):
            self.home.restart(service)
        after = self.read_back("after")
        self.digests["compared"] += len(before)
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                self.digests["different"] += 1
                yield (
                    f"reads: {' '.join(key)} was {shorten(before.get(key))}"
                    f" and is {shorten(after.get(key))} after a restart"
                )

    def public_events(self, service):
        query = (
            "COPY (SELECT type, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), data"
            " FROM event WHERE NOT private ORDER BY log, position) TO STDOUT"
        )
        for line in self.home.psql(service, "-c", query).splitlines():
            kind, recorded_at, data = line.split("\t", 2)
            yield kind, json.loads(data.replace("\\\\", "\\")) | {"recorded_at": recorded_at}

    def opinions(self, read):
        """Timelines, notifications, bookmarks and what is found, against a second opinion on the logs."""
        campus = told.Campus()
        for service in ("accounts", "social-graph", "feed"):
            for kind, event in self.public_events(service):
                campus.apply(kind, event)
        members = [line.split("\t")[:2] for line in self.accounts.read_text(encoding="utf-8").splitlines()]
        campus.writers = {timelines.account_of(token) for _, token in members}
        for user, token in members:
            for what, expected in campus.expected(timelines.account_of(token)).items():
                got = json.loads(read[user, what])
                self.digests["compared"] += 1
                if got != expected:
                    self.digests["different"] += 1
                    yield f"{what} of {user}: {difference(got, expected)}"

    def read_back(self, name):
        out = self.home.home / f"read.{name}"
        done = run(
            *self.home.client(
                *("tideline-chaos-load", "--gateway", self.home.gateway, "--run", f"{self.home.run_name}-{name}"),
                *("--journal", self.home.home / f"journal.{name}", "--accounts", self.accounts, "read", "--out", out),
            ),
            check=False,
            timeout=1800,
        )
        if done.returncode != 0:
            raise Trouble(f"reading back: {done.stderr.strip()}")
        rows = (line.split("\t") for line in out.read_text(encoding="utf-8").splitlines())
        return {(user, what): value for user, what, value in rows}

    def demo(self):
        done = subprocess.run(
            self.home.client(
                *("tideline-demo", "--gateway", self.home.gateway, "--run", "demo"),
                *("--people", 60, "--friends", 6, "--timed", 5, "--workers", 8, "--seed", 5),
            ),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            yield f"the demo: {done.stderr.strip()[-600:]}"


def difference(got, expected):
    if not isinstance(got, list):
        return f"{got} instead of {expected}"
    odd = [one for one in got if one not in expected] + [one for one in expected if one not in got]
    return f"{len(got)} entries instead of {len(expected)}, differing in {shorten(odd) if odd else 'their order'}"


def shorten(text):
    text = str(text)
    return text if len(text) < 300 else f"{text[:140]} ... {text[-140:]}"
