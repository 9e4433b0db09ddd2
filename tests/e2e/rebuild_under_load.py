#!/usr/bin/env python3
"""rebuild_under_load.py BUILD HOME GATEWAY [SEED]: rebuilds one read model of each service while the demo
lives on the suite in HOME and checks every answer, and somebody reads without a pause.

  - every table of a read model belongs to exactly one projection
  - a rebuild that is killed with -9, again and again, is finished by the next one
  - the tables are exchanged, no read fails, the demo finds no difference
  - what serves equals what the events give; a changed row is found, and repaired by a rebuild
  - a second rebuild at the same time says so and ends
Exit code 1 and the findings when one of these does not hold."""

import collections
import http.client
import json
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.parse

BUILD, HOME = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
GATEWAY = sys.argv[3]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
ONE_OF_EACH = {"accounts": "accounts", "projects": "projects", "social-graph": "graph", "feed": "feed", "scoring": "scores"}
KILLS = 3
# Of the event store and the runners, and the tables of the topics of latest states.
NO_READ_MODELS = {
    "event", "event_log", "relay_checkpoint", "idempotency_result", "stream_compaction", "subject_key", "projection_checkpoint", "dead_letter",
    "dead_letter_skip", "event_set_aside", "state_topic_checkpoint", "schema_migration", "person_profile",
    "account_score", "feed_instance", "feed_shard", "push_subscription", "scoring_fence", "score_flush", "upload", "large_upload",
    "upload_piece", "revocation",
}
findings = []


def check(good, finding):
    if not good:
        findings.append(finding)


def command(service, *words):
    config = HOME / "services" / service / "config"
    program = HOME / "services" / service / "bin" / f"tideline-{service}"
    return [str(program), "--config", str(config), "rebuild", *words]


def rebuild(service, *words):
    """Exit code, the JSON objects, and what else was said."""
    done = subprocess.run(command(service, *words), capture_output=True, text=True, timeout=240)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def conninfo(service):
    return (HOME / "postgres" / "databases" / ("tideline_" + service.replace("-", "_"))).read_text().strip()


def sql(service, statement):
    done = subprocess.run(["psql", conninfo(service), "-qtAX", "-c", statement], capture_output=True, text=True, check=True)
    return done.stdout.split()


class Reader:
    """Reads one thing of every service, over and over. Anything but 200 is a finding."""

    PATHS = [
        "/v1/me", "/v1/profiles/{0}", "/v1/projects?author={0}", "/v1/voting-board", "/v1/contacts", "/v1/follows",
        "/v1/timeline", "/v1/moments?author={0}", "/v1/points/me/ledger", "/v1/ranks/{0}", "/v1/leaderboard",
    ]

    def __init__(self, user_id):
        self.user_id = user_id
        self.reads = collections.Counter()
        self.failures = collections.Counter()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        address = urllib.parse.urlsplit(GATEWAY).netloc
        connection = http.client.HTTPConnection(address, timeout=30)
        body = json.dumps({"user_id": self.user_id, "password": f"tideline-{self.user_id}"})
        connection.request("POST", "/v1/sessions", body, {"Content-Type": "application/json"})
        token = json.loads(connection.getresponse().read())["access_token"]
        while not self.over.is_set():
            for path in self.PATHS:
                connection.request("GET", path.format(self.user_id), headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                answer.read()
                self.reads[path] += 1
                if answer.status != 200:
                    self.failures[f"{path} answered {answer.status}"] += 1

    def stop(self):
        self.over.set()
        self.thread.join()


def every_table_has_one_owner(service):
    _, models, _ = rebuild(service, "--list")
    owned = collections.Counter(table for model in models for table in model["tables"])
    there = set(sql(service, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
                             " AND relkind IN ('r', 'p') AND NOT relispartition")) - NO_READ_MODELS
    check(set(owned) == there, f"{service}: read models {sorted(there)}, named by projections {sorted(owned)}")
    check(all(count == 1 for count in owned.values()), f"{service}: a table of two projections: {owned}")


def killed_again_and_again(service, projection, chance):
    for _ in range(KILLS):
        running = subprocess.Popen(command(service, projection), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            running.wait(timeout=chance.uniform(0.05, 1.5))
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def rebuilt(service, projection):
    before = sql(service, "SELECT oid FROM pg_class WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace")
    code, reports, said = rebuild(service, projection)
    good = code == 0 and len(reports) == 1 and reports[0]["switched"] and reports[0]["equal"]
    check(good, f"{service}: rebuild {projection} ended with {code}: {reports} {said[-1500:]}")
    after = sql(service, "SELECT oid FROM pg_class WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace")
    check(before != after, f"{service}: the tables of {projection} are still the old ones")
    left = sql(service, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'rebuild%'")
    left += sql(service, "SELECT DISTINCT projection FROM projection_checkpoint WHERE projection LIKE '%@rebuild'")
    check(not left, f"{service}: left behind by the rebuild: {left}")
    for report in reports:
        print(f"   {service} {projection}: {report['events']} events, {report['seconds']:.2f} s", flush=True)


def equals_what_the_events_give(service):
    code, reports, said = rebuild(service, "--all", "--verify")
    check(code == 0 and reports and all(report["equal"] for report in reports),
          f"{service}: rebuild --all --verify ended with {code}: {reports} {said[-1500:]}")


def a_changed_row_is_found():
    sql("accounts", "UPDATE account SET version = version + 1 WHERE account_id = (SELECT max(account_id::text)::uuid FROM account)")
    code, reports, said = rebuild("accounts", "accounts", "--verify")
    check(code == 1 and not reports[0]["equal"] and "account: " in said, f"a changed row was not found: {code} {reports} {said}")
    code, reports, said = rebuild("accounts", "accounts", "--allow-difference")
    check(code == 0 and reports[0]["switched"], f"a changed row was not repaired: {code} {reports} {said}")
    equals_what_the_events_give("accounts")


def a_second_one_ends():
    holder = subprocess.Popen(["psql", conninfo("feed"), "-qtAX"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    holder.stdin.write("SELECT pg_advisory_lock(hashtextextended('tideline rebuild feed', 0)), 'held';\n")
    holder.stdin.flush()
    holder.stdout.readline()
    code, _, said = rebuild("feed", "feed")
    check(code == 1 and "another process rebuilds it just now" in said, f"a second rebuild went on: {code} {said}")
    holder.communicate("\\q\n")


def main():
    print(f"   seed {SEED}", flush=True)
    chance = random.Random(SEED)
    for service in ONE_OF_EACH:
        every_table_has_one_owner(service)
    demo = subprocess.Popen(
        [str(BUILD / "deploy/demo/tideline-demo"), "--gateway", GATEWAY, "--workers", "4", "--run", f"rebuilt{SEED}", "--people", "120",
         "--friends", "8", "--moments", "12", "--timed", "40", "--seed", "13"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    reader = Reader("first-0")
    began = time.monotonic()
    for service, projection in ONE_OF_EACH.items():
        killed_again_and_again(service, projection, chance)
        rebuilt(service, projection)
    rounds = 1
    # As long as the demo lives.
    while demo.poll() is None and time.monotonic() - began < 180:
        for service, projection in ONE_OF_EACH.items():
            rebuilt(service, projection)
        rounds += 1
    reader.stop()
    said, _ = demo.communicate(timeout=120)
    check(demo.returncode == 0 and "VERIFIED" in said, f"the demo found: {said[-2000:]}")
    check(not reader.failures, f"reads failed: {dict(reader.failures)}")
    check(min(reader.reads.values(), default=0) > 20, f"hardly anything was read: {dict(reader.reads)}")
    for service in ONE_OF_EACH:
        equals_what_the_events_give(service)
    a_changed_row_is_found()
    a_second_one_ends()
    print(f"   {rounds} rounds, {sum(reader.reads.values())} reads", flush=True)
    for finding in findings:
        print(f"FOUND: {finding}", file=sys.stderr)
    return 1 if findings else 0


sys.exit(main())
