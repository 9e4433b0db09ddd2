#!/usr/bin/env python3
"""restored.py BUILD: a whole service (accounts) whose servers are put back to older copies of their data.

Kafka first, to a copy that has not even the topics: the service, which goes on running, makes them and publishes
everything again. Then PostgreSQL, which nobody can mend but a person: /readyz says which position Kafka has and the
database has not, and nothing is published where something else is already, while the service runs, when it is
written to, and when it is started again. Everything runs in a folder and on ports of its own."""
import collections
import json
import pathlib
import shutil
import subprocess
import sys

from parts import Service, fail, free_ports, kill, part, program, query, registration, temporary_folder, topic_ends, until

BUILD = pathlib.Path(sys.argv[1])
LOGS = 4
TOPIC = "tideline.accounts"


class Installation:
    def __init__(self, folder):
        self.folder = folder
        pg_port, kafka_port, controller_port, port = free_ports(4)
        self.starts = {
            "postgres": ["start", "--data", f"{folder}/pg", "--port", pg_port, "--shared-buffers", "64MB"],
            "kafka": ["start", "--data", f"{folder}/kafka", "--heap", "320m", "--port", kafka_port,
                      "--controller-port", controller_port],
        }
        self.keeps = {"postgres": pathlib.Path(folder, "pg/cluster"), "kafka": pathlib.Path(folder, "kafka/data")}
        self.brokers = f"127.0.0.1:{kafka_port}"
        self.port, self.service, self.restarted = port, Service(port), None

    def start(self):
        for name, words in self.starts.items():
            part(name, *words)
        part("postgres", "database", "--data", f"{self.folder}/pg", "--name", "tideline_accounts")
        self.save("kafka")
        kid = part("secrets", "--data", f"{self.folder}/secrets").splitlines()[-1]
        part("services", "start", "--data", f"{self.folder}/accounts", "--name", "accounts", "--binary",
             program(BUILD, "accounts"), "--port", self.port, "--database",
             f"{self.folder}/pg/databases/tideline_accounts", "--brokers", self.brokers, "--secrets",
             f"{self.folder}/secrets", "--set", f"TIDELINE_LOGS={LOGS}", "--set",
             f"TIDELINE_JWT_SIGNING_KEY={self.folder}/secrets/jwt/{kid}.pem")

    def stop(self):
        if self.restarted:
            self.restarted.kill()
            self.restarted.wait()
        kill(f"{self.folder}/accounts", "services")
        kill(f"{self.folder}/kafka", "kafka")
        kill(f"{self.folder}/pg", "postgres")

    def copy(self, source, target):
        subprocess.run(["rm", "-rf", target], check=True)
        subprocess.run(["cp", "-a", source, target], check=True)

    def save(self, name):
        part(name, "stop", *self.starts[name][1:3])
        self.copy(self.keeps[name], f"{self.keeps[name]}.saved")
        part(name, *self.starts[name])

    def put_back(self, name):
        kill(self.starts[name][2], name)
        self.copy(f"{self.keeps[name]}.saved", self.keeps[name])
        part(name, *self.starts[name])

    def restart_service(self):
        """Not by parts/services, which waits until it is ready."""
        kill(f"{self.folder}/accounts", "services")
        log = open(f"{self.folder}/accounts/log.restarted", "wb")
        self.restarted = subprocess.Popen(
            [f"{self.folder}/accounts/bin/tideline-accounts", "--config", f"{self.folder}/accounts/config"],
            stdout=log, stderr=log)

    def conninfo(self):
        return pathlib.Path(f"{self.folder}/pg/databases/tideline_accounts").read_text().strip()

    def heads(self):
        return {int(log): int(head) for log, head in query(self.conninfo(), "SELECT log, position FROM event_log")}

    def records(self):
        """What each partition holds, in order; nothing while Kafka or the topic is away."""
        done = subprocess.run(["kcat", "-C", "-e", "-q", "-b", self.brokers, "-t", TOPIC, "-o", "beginning", "-f",
                               "%p %o %h\\n"], capture_output=True, text=True, check=False)
        found = collections.defaultdict(list)
        for line in done.stdout.splitlines():
            partition, _, headers = line.split(" ", 2)
            named = dict(header.split("=", 1) for header in headers.split(",") if "=" in header)
            own = dict(field.split("=", 1) for field in named["ce_tideline"].split(" "))
            found[int(partition)].append((int(own["position"]), named["ce_id"]))
        return found

    def readiness(self):
        try:
            status, _, text = self.service.call("GET", "/readyz")
            return status, json.loads(text)
        except OSError as error:
            return 0, {"parts": {}, "error": str(error)}

    def is_published(self):
        until(lambda: f"all is published: {topic_ends(self.brokers, TOPIC, LOGS)} of {self.heads()}",
              lambda: topic_ends(self.brokers, TOPIC, LOGS) == self.heads())


def register(installation, name, count, expected=(201,)):
    for i in range(count):
        status, _, text = installation.service.call("POST", "/v1/accounts", None, registration(f"{name}{i}"))
        if status not in expected:
            fail(f"registering {name}{i}: {status} {text}")


def check_kafka_put_back(installation):
    register(installation, "early", 4)
    installation.is_published()
    before = installation.records()
    installation.put_back("kafka")
    until("the topics are made again, and everything is published", lambda: installation.records() == before)
    until(lambda: f"ready again: {installation.readiness()}",
          lambda: installation.readiness()[1].get("status") == "ready")
    register(installation, "later", 1)
    installation.is_published()


def check_postgres_put_back(installation):
    installation.save("postgres")
    until("a command is possible again", lambda: installation.readiness()[0] == 200)
    register(installation, "lost", 6)
    installation.is_published()
    before = installation.records()
    installation.put_back("postgres")
    heads = installation.heads()
    lost = [log for log in range(LOGS) if len(before[log]) > heads[log]]
    if not lost:
        fail(f"nothing is lost: {heads}")

    def says_so():
        status, answer = installation.readiness()
        return status == 503 and "PostgreSQL lost events" in answer["parts"].get("relay", {}).get("detail", "")
    until(lambda: f"/readyz says what is lost: {installation.readiness()}", says_so)
    # Others take the places of those that are lost, and go beyond them.
    register(installation, "usurper", 12, (201, 503))
    if not any(installation.heads()[log] > heads[log] for log in lost):
        fail("nothing was written in place of what is lost")
    installation.restart_service()
    until(lambda: f"/readyz says so after a restart: {installation.readiness()}", says_so)
    after = installation.records()
    for log in lost:
        if after[log] != before[log]:
            fail(f"log {log} is papered over: {after[log][len(before[log]):]} behind {before[log]}")
    print(f"lost {[len(before[log]) - heads[log] for log in lost]} events of logs {lost}; "
          f"{installation.readiness()[1]['parts']['relay']['detail']}")


def main():
    folder = temporary_folder("restored")
    installation = Installation(folder)
    try:
        installation.start()
        check_kafka_put_back(installation)
        check_postgres_put_back(installation)
        print("done")
    finally:
        installation.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
