#!/usr/bin/env python3
"""restored.py BUILD: a whole service (accounts) whose servers are put back to older copies of their data.

Kafka first, to a copy that has not even the topics: the service, which goes on running, makes them and publishes
everything again, events and profiles. Then PostgreSQL: /readyz says which position Kafka has and the database has
not, and nothing is published where something else is already, while the service runs, when it is written to, and when
it is started again. A person runs `recover`: what was published is there again, what was written meanwhile comes
behind it, and who has lost the password gets another one. Everything runs in a folder and on ports of its own."""
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
PROFILES = "tideline.profiles"


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
        self.kill_service()
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

    def kill_service(self):
        kill(f"{self.folder}/accounts", "services")
        if self.restarted:
            self.restarted.kill()
            self.restarted.wait()

    def restart_service(self):
        """Not by parts/services, which waits until it is ready."""
        self.kill_service()
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

    def profiles(self):
        """The latest state of each account, and the editions of all records; nothing while Kafka is away."""
        done = subprocess.run(["kcat", "-C", "-e", "-q", "-b", self.brokers, "-t", PROFILES, "-o", "beginning", "-f",
                               "%h\\t%s\\n"], capture_output=True, text=True, check=False)
        latest, editions = {}, set()
        for line in done.stdout.splitlines():
            headers, value = line.split("\t")
            state = json.loads(value)
            editions.add(int(headers.removeprefix("tideline_edition=") or 0))
            if state["version"] >= latest.get(state["account_id"], {"version": 0})["version"]:
                latest[state["account_id"]] = state
        return latest, editions

    def operate(self, *words, answer=0, text=None):
        """A subcommand of the service's program: its lines."""
        command = [f"{self.folder}/accounts/bin/tideline-accounts", "--config", f"{self.folder}/accounts/config", *words]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != answer:
            fail(f"{' '.join(words)}: {done.returncode} instead of {answer}: {done.stdout}{done.stderr}")
        return done.stdout.splitlines(), done.stderr

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
    """Who was answered that they are registered."""
    done = []
    for user in (f"{name}{i}" for i in range(count)):
        status, _, text = installation.service.call("POST", "/v1/accounts", None, registration(user))
        if status not in expected:
            fail(f"registering {user}: {status} {text}")
        if status == 201:
            done.append(user)
    return done


def sign_in(installation, user, password, expected=201):
    credentials = {"user_id": user, "password": password}
    return installation.service.expect(expected, "POST", "/v1/sessions", None, credentials)[1]


def check_kafka_put_back(installation):
    register(installation, "early", 4)
    installation.is_published()
    until(lambda: f"all profiles are published: {installation.profiles()}", lambda: len(installation.profiles()[0]) == 4)
    before, (profiles, editions) = installation.records(), installation.profiles()
    installation.put_back("kafka")
    until("the topics are made again, and everything is published", lambda: installation.records() == before)
    until(lambda: f"so are the profiles: {installation.profiles()} of {profiles}",
          lambda: installation.profiles()[0] == profiles)
    if max(installation.profiles()[1]) <= max(editions):
        fail(f"readers cannot know that they must begin anew: {installation.profiles()[1]} after {editions}")
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
    usurpers = register(installation, "usurper", 12, (201, 503))
    # Somebody takes a name that is free only here.
    stranger = {**registration("lost0"), "password": "a stranger takes it"}
    status = installation.service.call("POST", "/v1/accounts", None, stranger)[0]
    if status not in (201, 503):
        fail(f"registering lost0 once more: {status}")
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
    return before, usurpers, status == 201


def check_recovery(installation, before, usurpers, name_was_taken):
    lost = sum(map(len, before.values())) - sum(
        int(position) for _, position in query(installation.conninfo(), "SELECT log, position FROM relay_checkpoint"))
    _, said = installation.operate("recover", answer=1)
    if "stop it first" not in said:
        fail(f"it recovers under a running service: {said}")
    installation.kill_service()
    lines, _ = installation.operate("recover")
    recovered = [json.loads(line) for line in lines]
    taken_back = sum(log["taken_back"] for log in recovered)
    if taken_back < 6 or taken_back > lost or not any(log["moved"] for log in recovered):
        fail(f"{lost} events were lost: {recovered}")
    if (sum(log["set_aside"] for log in recovered) > 0) != name_was_taken:
        fail(f"registered as somebody else: {name_was_taken}, and {recovered}")
    installation.restart_service()
    until(lambda: f"ready again: {installation.readiness()}",
          lambda: installation.readiness()[1].get("status") == "ready")
    installation.is_published()
    after = installation.records()
    for log, records in before.items():
        if after[log][:len(records)] != records:
            fail(f"log {log} is another one: {after[log]} after {records}")
    for user in ["early0", *usurpers]:
        sign_in(installation, user, f"tideline-{user}")
    # The password was in PostgreSQL alone, and so was the key of the profile.
    sign_in(installation, "lost0", "tideline-lost0", expected=401)
    sign_in(installation, "lost0", "a stranger takes it", expected=401)
    installation.operate("password", "lost0", text="short\n", answer=1)
    installation.operate("password", "lost0", text="three words of another\n")
    token = sign_in(installation, "lost0", "three words of another")["access_token"]
    installation.service.expect(200, "PATCH", "/v1/me", token, {"real_name": "Found again"})
    me = installation.service.expect(200, "GET", "/v1/me", token)[1]
    if (me["user_id"], me["real_name"]) != ("lost0", "Found again"):
        fail(f"the profile of lost0 is {me}")
    until("others see it", lambda: "Found again" in installation.service.call("GET", "/v1/profiles/lost0", token)[2])
    until(lambda: f"it is published: {installation.profiles()}",
          lambda: "Found again" in {state["real_name"] for state in installation.profiles()[0].values()})
    # Who was found by names that nobody can open any more is found by them no more.
    installation.operate("rebuild", "person-search", "--allow-difference")
    installation.operate("rebuild", "--all", "--verify")
    print(f"recovered {recovered}")


def main():
    folder = temporary_folder("restored")
    installation = Installation(folder)
    try:
        installation.start()
        check_kafka_put_back(installation)
        check_recovery(installation, *check_postgres_put_back(installation))
        print("done")
    finally:
        installation.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
