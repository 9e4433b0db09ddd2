"""Tideline on a cluster under the load of tests/chaos, whose journal decides afterwards whether anything was lost or done twice:
what tests of it have in common.

  --built DIR  the build tree whose programs are tried
  --nodes N
  --installed  the cluster is there with the suite on it, and stays
  --only TEXT  only steps whose names hold it; several times: or another text
  --keep       the cluster stays
"""
import argparse
import contextlib
import json
import pathlib
import signal
import subprocess
import sys
import time
import types

from installed_suite import ROOT, InstalledSuite
from checks import Checks, await_quiet
from cluster import Cluster, default_folder, nodes_of
from installation import Trouble as TroubleOfChaos
from machine import Trouble, run
from running_load import Load

HERE = pathlib.Path(__file__).resolve().parent
STARTED = time.monotonic()
PEOPLE, WORKERS = 60, 8
ENDLESS = 10_000_000


def say(text):
    print(f"[{time.monotonic() - STARTED:6.1f} s] {text}", file=sys.stderr, flush=True)


class Row:
    """A step that was done: microseconds from and until, commands and failed requests meanwhile."""

    def __init__(self, name, began, done, failures):
        self.name = name
        self.began = self.ended = began
        self.commands, self.failures = -done, -failures

    def end(self, done, failures):
        self.ended = int(time.time() * 1e6)
        self.commands += done
        self.failures += failures

    @property
    def seconds(self):
        return (self.ended - self.began) / 1e6


def install(suite, overlay="k8s/overlays/trial"):
    suite.do("k8s/README.md", "install", overlay)
    log = suite.kubectl("logs", "job/demo").stdout
    if not log.rstrip().endswith("VERIFIED"):
        raise Trouble(f"the demo's log does not end in VERIFIED: {log[-600:]}")
    say("the demo: " + " ".join(line.strip() for line in log.splitlines() if "requests" in line or "VERIFIED" in line))


class LiveStream:
    """live_stream.py while it runs."""

    def __init__(self, suite):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            suite.inside("/usr/bin/python3", HERE / "live_stream.py", suite.gateway, suite.run_name + "-live"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Trouble("nobody can listen to his live timeline")

    def end(self):
        """What was missed, as findings."""
        printed, _ = self.process.communicate("end\n", timeout=300)
        if self.process.returncode != 0:
            return ["who listened to his live timeline has given up"]
        told = json.loads(printed)
        say(f"live timeline: {told}")
        return [] if told["heard"] == told["published"] else [f"who listens to his live timeline has missed something: {told}"]


def is_wanted(name, only):
    return not only or any(text in name for text in only)


def run_steps(suite, steps, only):
    journal, accounts = suite.home / "journal", suite.home / "accounts"
    options = types.SimpleNamespace(people=PEOPLE, workers=WORKERS, seed=7)
    with contextlib.ExitStack() as processes:
        load = Load(suite, options, journal, accounts)
        processes.callback(load.process.kill)
        if not load.ready.wait(600) or load.process.poll() is not None:
            raise Trouble("the load cannot begin")
        suite.make_operator(f"{suite.run_name}-operator")
        load.tell("begin")
        load.allow(ENDLESS)
        load.await_seen(1)
        stream = LiveStream(suite)
        processes.callback(stream.process.kill)
        say("the load runs, and somebody listens to his live timeline")
        rows = [under_load(suite, load, name, step) for name, step in steps if is_wanted(name, only)]
        missed = stream.end()
        load.allow(load.done)
        load.finish()
    say(f"{load.done} commands done")
    return rows, missed, journal, accounts


def under_load(suite, load, name, step):
    row = Row(name, int(time.time() * 1e6), load.done, load.failures)
    failed_before = load.failed.copy()
    step()
    load.await_seen(int(time.time() * 1e6))
    row.end(load.done, load.failures)
    say(f"{name}: {row.seconds:.1f} s, {row.commands} commands, {row.failures} requests failed")
    if row.failures:
        say("  " + suite.refusals(int(row.seconds) + 1))
        for what, count in (load.failed - failed_before).most_common(20):
            say(f"  {count} {what}")
        for complaint in list(suite.complaints("feed", int(row.seconds) + 1))[:20]:
            say(f"  {complaint}")
    return row


def check_laws(suite, journal, accounts, findings):
    """Adds to the findings."""
    await_quiet(suite)
    checks = Checks(suite, journal, accounts)
    for check in checks.all():
        findings += check()
    for finding in findings:
        say(f"FINDING: {finding}")
    say(f"laws: {len(findings)} findings; {sum(checks.events.values())} events, {sum(checks.records.values())} records, "
        f"{checks.digests['compared']} digests compared")


def parse(program):
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--built", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def make(cluster, built):
    run(ROOT / "deploy/install", "run", "test", "cluster", timeout=900)
    cluster.up(say)
    run(HERE / "cluster", "images", "--built", built, timeout=1800)


def main(program, prepare, overlay, steps_of, report):
    """`prepare` installs and checks what needs no load (given --only), `overlay` is for the load, `report` prints what the steps showed."""
    options = parse(program)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nodes = nodes_of(default_folder()) if options.installed else options.nodes
    cluster = Cluster(default_folder(), ROOT / "build/k8s", nodes)
    suite = None
    try:
        if not options.installed:
            make(cluster, options.built)
        suite = InstalledSuite(cluster, options.built, cluster.folder / "test", say)
        if not options.installed:
            prepare(suite, options.only)
        suite.do("k8s/README.md", "upgrade", overlay)
        suite.await_well()
        rows, findings, journal, accounts = run_steps(suite, steps_of(suite), options.only)
        check_laws(suite, journal, accounts, findings)
        report(rows, journal)
        return 1 if findings else 0
    except (Trouble, TroubleOfChaos, subprocess.SubprocessError) as trouble:
        print(f"FAILED: {trouble}", file=sys.stderr)
        if suite:
            print(suite.kubectl("get", "pods", "-o", "wide", check=False).stdout, file=sys.stderr)
        return 1
    finally:
        if not options.keep and not options.installed:
            cluster.down()
