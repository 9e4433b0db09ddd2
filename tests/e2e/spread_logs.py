#!/usr/bin/env python3
"""spread_logs.py BUILD: social-graph with its logs in two PostgreSQL clusters, beside accounts.

Contacts are asked for and accepted, each with an idempotency key: an acceptance writes the pair and
the counts of both, which lie in either cluster. Then every event must be in the cluster of its log,
the acceptances whole, all logs published, and the contacts readable. While one cluster is away, the
logs of the other are written and published. A start with a cluster that cannot prepare transactions
must be refused. Everything runs in a folder and on ports of its own.
"""
import itertools
import pathlib
import shutil
import subprocess
import sys

from parts import Service, fail, free_ports, kill, part, program, query, registration, temporary_folder, topic_ends, until

BUILD = pathlib.Path(sys.argv[1])
PEOPLE = 10
LOGS = 16
SPLIT = 8  # logs 0..7 lie in the second cluster


class Suite:
    def __init__(self, folder):
        self.folder = folder
        ports = free_ports(7)
        self.pg_ports, self.kafka_ports, self.ports = ports[:2], ports[2:4], ports[4:]
        self.brokers = f"127.0.0.1:{self.kafka_ports[0]}"

    def start(self):
        for i, port in enumerate(self.pg_ports):
            part("postgres", "start", "--data", f"{self.folder}/pg{i}", "--port", port, "--shared-buffers", "64MB",
                 "--max-prepared-transactions", 10)
            part("postgres", "database", "--data", f"{self.folder}/pg{i}", "--name", "tideline_social_graph")
        part("postgres", "database", "--data", f"{self.folder}/pg0", "--name", "tideline_accounts")
        part("kafka", "start", "--data", f"{self.folder}/kafka", "--heap", "320m", "--port", self.kafka_ports[0],
             "--controller-port", self.kafka_ports[1])
        kid = part("secrets", "--data", f"{self.folder}/secrets").splitlines()[-1]
        self.start_service("accounts", self.ports[0], "--set",
                           f"TIDELINE_JWT_SIGNING_KEY={self.folder}/secrets/jwt/{kid}.pem")
        self.start_service("social-graph", self.ports[1], "--set", self.log_databases())
        self.accounts, self.graph = Service(self.ports[0]), Service(self.ports[1])

    def conninfo(self, cluster, name="tideline_social_graph"):
        return pathlib.Path(f"{self.folder}/pg{cluster}/databases/{name}").read_text().strip()

    def log_databases(self):
        return f"TIDELINE_LOG_DATABASES=0-{SPLIT - 1}={self.conninfo(1)}"

    def start_service(self, name, port, *settings):
        part("services", "start", "--data", f"{self.folder}/{name}", "--name", name, "--binary", program(BUILD, name),
             "--port", port, "--database", f"{self.folder}/pg0/databases/tideline_{name.replace('-', '_')}", "--brokers",
             self.brokers, "--secrets", f"{self.folder}/secrets", *settings)

    def stop(self):
        for name in ("social-graph", "accounts"):
            kill(f"{self.folder}/{name}", "services")
        kill(f"{self.folder}/kafka", "kafka")
        for i in range(2):
            kill(f"{self.folder}/pg{i}", "postgres")


def register(suite):
    people = []
    for i in range(PEOPLE):
        user = f"spread{i}"
        headers, answer = suite.accounts.expect(201, "POST", "/v1/accounts", None, registration(user))
        people.append((user, answer["session"]["access_token"], headers["Tideline-Position"]))
    return people


def make_contacts(suite, people):
    """In a ring; returns the number of acceptances. The last is repeated: a key is answered once."""
    for i, (user, token, position) in enumerate(people):
        other, other_token, other_position = people[(i + 1) % len(people)]

        def known():
            status, _, text = suite.graph.call("POST", "/v1/contact-requests", token, {"user_id": other},
                                               Tideline_Position=other_position, Idempotency_Key=f"ask-{i}")
            if status not in (201, 404, 503):
                fail(f"asking {other}: {status} {text}")
            return status == 201
        until(f"social-graph knows {other}", known)
        answers = [suite.graph.expect(200, "POST", f"/v1/contact-requests/{user}/accept", other_token,
                                      Idempotency_Key=f"accept-{i}") for _ in range(2)]
        if answers[0][0].get("ETag") != answers[1][0].get("ETag"):
            fail("a repeated acceptance was answered otherwise")
    return len(people)


def check_places(suite, accepted):
    events = {}
    for cluster in range(2):
        rows = query(suite.conninfo(cluster), "SELECT log, type, count(*) FROM event GROUP BY 1, 2")
        if not rows:
            fail(f"nothing lies in cluster {cluster}")
        for log, kind, count in rows:
            if (int(log) < SPLIT) != (cluster == 1):
                fail(f"log {log} lies in cluster {cluster}")
            events[kind] = events.get(kind, 0) + int(count)
    counts = query(suite.conninfo(0), "SELECT 1 FROM pg_prepared_xacts") + query(suite.conninfo(1), "SELECT 1 FROM pg_prepared_xacts")
    if counts:
        fail(f"{len(counts)} transactions were left prepared")
    if events.get("ContactAccepted") != accepted:
        fail(f"{accepted} acceptances, but {events}")
    changed = sum(count for kind, count in events.items() if kind.startswith("ContactCount"))
    if changed != 2 * accepted:
        fail(f"each acceptance counts for two: {events}")
    metrics = suite.graph.call("GET", "/metrics")[2]
    spread = [line for line in metrics.splitlines() if line.startswith("tideline_appends_spread ")]
    if not spread or float(spread[0].split()[1]) == 0:
        fail(f"no append touched both clusters: {spread}")
    print(f"{spread[0]}; events {events}")


def heads_of(suite, clusters):
    """By log, of those that lie in these clusters."""
    heads = {}
    for cluster in clusters:
        for log, position in query(suite.conninfo(cluster), "SELECT log, position FROM event_log"):
            if (int(log) < SPLIT) == (cluster == 1):
                heads[int(log)] = int(position)
            elif int(position) != 0:
                fail(f"the position of log {log} moved in cluster {cluster} too")
    return heads


def is_published(suite, clusters):
    heads = heads_of(suite, clusters)

    def published():
        ends = topic_ends(suite.brokers, "tideline.social-graph", LOGS)
        return all(ends.get(log) == head for log, head in heads.items())
    until(f"the logs of clusters {clusters} are published to their ends", published)
    return heads


def check_one_cluster_away(suite, people):
    """What needs the other one alone goes on, up to the topic. Three streams decide about a follow: its own, and the blocks of
    both; so one in eight needs the cluster that is there alone."""
    before = is_published(suite, [0, 1])
    kill(f"{suite.folder}/pg1", "postgres")
    answers = []
    for (_, token, _), (other, _, _) in itertools.permutations(people, 2):
        answers.append(suite.graph.call("PUT", f"/v1/follows/{other}", token)[0])
        if min(answers) < 300 and 503 in answers:
            break
    else:
        fail(f"some commands need the cluster that is away, some do not: {answers}")
    after = is_published(suite, [0])
    grown = sum(head - before[log] for log, head in after.items())
    if grown < 1:
        fail("nothing was written to the cluster that is there")
    part("postgres", "start", "--data", f"{suite.folder}/pg1", "--port", suite.pg_ports[1], "--shared-buffers", "64MB",
         "--max-prepared-transactions", 10)
    is_published(suite, [0, 1])
    print(f"{grown} events were published while a cluster was away")


def check_readable(suite, people):
    for i, (user, token, _) in enumerate(people):
        wanted = {people[i - 1][0], people[(i + 1) % len(people)][0]}

        def listed():
            _, page = suite.graph.expect(200, "GET", "/v1/contacts", token)
            return {item["user_id"] for item in page["items"]} == wanted
        until(f"{user} has the contacts {wanted}", listed)


def check_refusals(suite):
    """A cluster that cannot prepare, and logs that were moved by the setting alone."""
    def refused(settings, why):
        config = pathlib.Path(f"{suite.folder}/refused")
        lines = pathlib.Path(f"{suite.folder}/social-graph/config").read_text().splitlines()
        kept = [line for line in lines if not line.startswith(("TIDELINE_LOG_DATABASES", "TIDELINE_HTTP_PORT"))]
        config.write_text("\n".join([*kept, *settings]) + "\n")
        done = subprocess.run([program(BUILD, "social-graph"), "--config", config], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 0 or why not in done.stderr + done.stdout:
            fail(f"not refused with '{why}': {done.returncode} {done.stdout}{done.stderr}")
    part("services", "stop", "--data", f"{suite.folder}/social-graph")
    # So many that one of them has events, whatever ids the server made.
    moved = f"TIDELINE_LOG_DATABASES=0-{LOGS - 2}={suite.conninfo(1)}"
    refused([moved], "which is said to lie elsewhere")
    refused([f"TIDELINE_LOG_DATABASES=0-{LOGS}={suite.conninfo(1)}"], f"names log {LOGS} of {LOGS}")
    part("postgres", "stop", "--data", f"{suite.folder}/pg1")
    part("postgres", "start", "--data", f"{suite.folder}/pg1", "--port", suite.pg_ports[1])
    refused([suite.log_databases()], "max_prepared_transactions = 0")


def main():
    folder = temporary_folder("spread")
    suite = Suite(folder)
    try:
        suite.start()
        people = register(suite)
        accepted = make_contacts(suite, people)
        check_places(suite, accepted)
        is_published(suite, [0, 1])
        check_readable(suite, people)
        check_one_cluster_away(suite, people)
        check_refusals(suite)
        print("done")
    finally:
        suite.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
