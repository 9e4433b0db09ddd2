#!/usr/bin/env python3
"""feed_instances.py BUILD: three instances of feed behind the gateway.

People publish, delete, befriend, part and exclude each other, one change after the other, while others read
all timelines through the gateway. Every answer must be a timeline that this person could have at that time:
with the token of the last change that had been made before he asked, nothing older. Meanwhile

  - a third instance joins: it gets its share of the shards, and no other shard moves
  - one is stopped, an exclusion is made, it goes on: asked directly, it shows nothing of before
  - one is killed: the others take its shards over; started again it gets its share back
  - one is told to stop and started again, as when a release takes the place of another: nobody is refused

and in the end all timelines are what they should be and no request is passed on: the gateway knows where
each shard is. Whoever is refused meanwhile is answered again within the time that is allowed here.
Everything runs in a folder and on ports of its own.
"""
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import threading
import time

from parts import Service, fail, free_ports, kill, part, program, query, registration, temporary_folder, until

BUILD = pathlib.Path(sys.argv[1])
SEED = int(os.environ.get("TIDELINE_SEED", time.time_ns() % 1_000_000))
PEOPLE = 14
READERS = 3
MOMENTS_MAX = 70  # so that a timeline is one page
STALENESS_S = 5  # of feed's settings
LINGER_MS = 3000
RELAY_S = 2  # from a commit to the topics, on a machine that others use
# From a fault until everybody is answered again: leases, health checks, sessions of consumers, and a machine that
# others use.
RECOVERY_S = 40
UNANSWERED = {502, 503, 504}
DATABASES = {"accounts": "tideline_accounts", "social-graph": "tideline_social_graph", "feed": "tideline_feed"}


class Suite:
    def __init__(self, folder):
        self.folder = folder
        names = ["pg", "kafka", "controller", "accounts", "social-graph", "feed-0", "feed-1", "feed-2", "gateway", "metrics"]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.accounts, self.graph = Service(self.ports["accounts"]), Service(self.ports["social-graph"])
        self.gateway = Service(self.ports["gateway"])

    def start(self):
        part("postgres", "start", "--data", f"{self.folder}/pg", "--port", self.ports["pg"], "--shared-buffers", "64MB")
        for database in DATABASES.values():
            part("postgres", "database", "--data", f"{self.folder}/pg", "--name", database)
        part("kafka", "start", "--data", f"{self.folder}/kafka", "--heap", "320m", "--port", self.ports["kafka"],
             "--controller-port", self.ports["controller"])
        kid = part("secrets", "--data", f"{self.folder}/secrets").splitlines()[-1]
        self.start_service("accounts", "accounts", f"TIDELINE_JWT_SIGNING_KEY={self.folder}/secrets/jwt/{kid}.pem")
        self.start_service("social-graph", "social-graph")
        for name in ("feed-0", "feed-1"):
            self.start_feed(name)
        at = {name: f"127.0.0.1:{port}" for name, port in self.ports.items()}
        # Whoever asks for projects or scoring is no part of this.
        part("gateway", "start", "--data", f"{self.folder}/gateway", "--port", self.ports["gateway"], "--metrics-port",
             self.ports["metrics"], "--kid", kid, "--key", f"{self.folder}/secrets/jwt_public/{kid}.pem", "--accounts",
             at["accounts"], "--projects", at["accounts"], "--scoring", at["accounts"], "--social-graph",
             at["social-graph"], "--feed", at["feed-0"], "--more-feed", at["feed-1"], "--more-feed", at["feed-2"])

    def start_service(self, name, binary, *settings):
        part("services", "start", "--data", f"{self.folder}/{name}", "--name", binary, "--binary", program(BUILD, binary),
             "--port", self.ports[name], "--database", f"{self.folder}/pg/databases/{DATABASES[binary]}", "--brokers",
             f"127.0.0.1:{self.ports['kafka']}", "--secrets", f"{self.folder}/secrets",
             *[word for one in settings for word in ("--set", one)])

    def start_feed(self, name):
        self.start_service(name, "feed", f"TIDELINE_FEED_INSTANCE={name}", f"TIDELINE_LINGER_MS={LINGER_MS}")

    def pid(self, name):
        return int(pathlib.Path(f"{self.folder}/{name}/pid").read_text().split()[0])

    def owners(self):
        conninfo = pathlib.Path(f"{self.folder}/pg/databases/{DATABASES['feed']}").read_text().strip()
        rows = query(conninfo, "SELECT shard, coalesce(owner, '') FROM feed_shard ORDER BY shard")
        return {int(shard): owner for shard, owner in rows}

    def shares(self):
        owners = list(self.owners().values())
        return sorted((name, owners.count(name)) for name in set(owners))

    def timelines_passed_on(self):
        """By all instances, since they were started: each is counted before its answer is there."""
        lines = [line for name in ("feed-0", "feed-1", "feed-2")
                 for line in Service(self.ports[name]).call("GET", "/metrics")[2].splitlines()]
        counts = [float(line.split()[-1]) for line in lines
                  if line.startswith("tideline_feed_timelines_passed_on_total")]
        if len(counts) != 3:
            fail(f"not every instance counts what it passes on: {counts}")
        return sum(counts)

    def stop(self):
        for name in ("feed-0", "feed-1", "feed-2", "social-graph", "accounts"):
            kill(f"{self.folder}/{name}", "services")
        kill(f"{self.folder}/gateway", "gateway")
        kill(f"{self.folder}/kafka", "kafka")
        kill(f"{self.folder}/pg", "postgres")


class World:
    """What has happened, as sets, and everybody's timeline after each change: the sentence of the design over
    public and private moments."""

    def __init__(self, people):
        self.people = people
        self.contacts, self.follows, self.kept_from, self.moments = set(), set(), set(), {}
        self.lock = threading.Lock()
        self.states = [self.timelines()]
        self.ever = set()
        self.unknown = []  # moments that were shown before the answer to their author had come
        self.done = 0
        self.done_at = [time.monotonic()]
        self.position = ""

    def timelines(self):
        return {viewer: frozenset(moment for moment, (author, audience) in self.moments.items()
                                  if self.shows(viewer, author, audience)) for viewer in self.people}

    def shows(self, viewer, author, audience):
        if viewer == author:
            return True
        wanted = frozenset((viewer, author)) in self.contacts or (viewer, author) in self.follows
        return wanted and audience == "public" and (author, viewer) not in self.kept_from

    def begin(self, change):
        with self.lock:
            change()
            self.ever.update(self.moments)
            self.states.append(self.timelines())
            for viewer, moment in self.unknown:
                if moment in self.moments and moment not in self.states[-1][viewer]:
                    fail(f"{viewer} was shown {moment}, which is not for him")
            self.unknown = [shown for shown in self.unknown if shown[1] not in self.moments]

    def finish(self, position):
        with self.lock:
            self.position = position or self.position
            self.done += 1
            self.done_at.append(time.monotonic())

    def now(self):
        with self.lock:
            return self.done, self.position

    def done_before(self, moment):
        with self.lock:
            return max(0, sum(1 for at in self.done_at if at <= moment) - 1)

    def check(self, viewer, ids, since, what):
        """A timeline of some time between the state `since` and now. What changed in between may be there or not."""
        with self.lock:
            states = [state[viewer] for state in self.states[since:]]
            shown = self.ever.intersection(ids)
            self.unknown += [(viewer, moment) for moment in ids if moment not in shown]
        if ids != sorted(set(ids), key=int, reverse=True):
            fail(f"{what}: {viewer}'s timeline is in no order: {ids}")
        if too_much := shown - frozenset().union(*states):
            fail(f"{what}: {viewer} is shown {too_much}, which was taken from him {len(states)} states ago or more")
        if missing := states[0].intersection(*states) - shown:
            fail(f"{what}: {viewer} is not shown {missing}, of {len(states)} states")


class Writer:
    """Makes one change after the other, each until it is done."""

    def __init__(self, suite, world, tokens, numbers):
        self.suite, self.world, self.tokens, self.numbers = suite, world, tokens, numbers
        self.keys, self.refused = 0, []

    def send(self, method, path, who, body=None):
        self.keys += 1
        deadline = time.monotonic() + RECOVERY_S
        while True:
            status, headers, text = self.suite.gateway.call(
                method, path, self.tokens[who], body, Idempotency_Key=f"e2e-{self.keys}", Tideline_Position=self.world.position)
            if status < 300:
                # The gateway writes the names of fields in small letters.
                fields = {name.lower(): value for name, value in headers.items()}
                return fields["tideline-position"], json.loads(text) if text else {}
            if status in UNANSWERED:
                self.refused.append(f"{method} {path}: {status}")
            if status not in UNANSWERED | {404} or time.monotonic() > deadline:
                fail(f"{method} {path} of {who}: {status} {text}")

    def change(self, change, *request):
        self.world.begin(change)
        self.world.finish(self.send(*request)[0])

    def publish(self, author, audience="public"):
        # Its id comes with the answer, and readers may be earlier.
        position, moment = self.send("POST", "/v1/moments", author, {"content": "x", "audience": audience})
        self.world.begin(lambda: self.world.moments.update({moment["id"]: (author, audience)}))
        self.world.finish(position)
        return moment["id"]

    def befriend(self, one, other):
        self.send("POST", "/v1/contact-requests", one, {"user_id": other})
        self.change(lambda: self.world.contacts.add(frozenset((one, other))),
                    "POST", f"/v1/contact-requests/{one}/accept", other)

    def part(self, one, other):
        self.change(lambda: self.world.contacts.discard(frozenset((one, other))), "DELETE", f"/v1/contacts/{other}", one)

    def keep_from(self, owner, other, kept):
        edit = self.world.kept_from.add if kept else self.world.kept_from.discard
        self.change(lambda: edit((owner, other)), "PUT", f"/v1/moment-settings/{other}", owner,
                    {"hides_other": False, "hidden_from_other": kept})

    def random_change(self, may_publish=True):
        one, other = self.numbers.sample(self.world.people, 2)
        pair = frozenset((one, other))
        kind = self.numbers.randrange(8)
        if kind < 4 and may_publish:
            if kind < 3 and len(self.world.moments) < MOMENTS_MAX:
                self.publish(one, self.numbers.choice(["public", "public", "private"]))
            else:
                moment, (author, _) = self.numbers.choice(list(self.world.moments.items()))
                self.change(lambda: self.world.moments.pop(moment), "DELETE", f"/v1/moments/{moment}", author)
        elif kind < 6:
            (self.part if pair in self.world.contacts else self.befriend)(one, other)
        else:
            self.keep_from(one, other, (one, other) not in self.world.kept_from)


class Readers:
    """Read everybody's timeline through the gateway for as long as they live, and hold it to the world."""

    def __init__(self, suite, world, tokens):
        self.suite, self.world, self.tokens = suite, world, tokens
        self.answered, self.refused, self.wrong = 0, [], None
        self.last_answer = {viewer: time.monotonic() for viewer in world.people}
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number,)) for number in range(READERS)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        numbers = random.Random(SEED + number)
        while not self.stopping.is_set():
            viewer = numbers.choice(self.world.people)
            try:
                status = self.read(viewer, "a reader")
            except SystemExit as found:
                self.wrong = str(found).removeprefix("FAILED: ")
                return
            except (OSError, http.client.HTTPException):
                status = 0  # broken off
            if status == 200:
                self.answered += 1
                self.last_answer[viewer] = time.monotonic()
            else:
                self.refused.append(f"a timeline: {status}")

    def read(self, viewer, what, service=None, since=None, position=None):
        done, last_position = self.world.now()
        answer = (service or self.suite.gateway).call(
            "GET", "/v1/timeline?limit=100", self.tokens[viewer],
            Tideline_Position=last_position if position is None else position)
        if answer[0] == 200:
            earliest = done if since is None else since()
            headers = {name.lower(): value for name, value in answer[1].items()}
            self.world.check(viewer, [item["id"] for item in json.loads(answer[2])["items"]], earliest,
                             f"{what}, answered by {headers.get('x-tideline-instance')}")
        elif answer[0] not in UNANSWERED:
            fail(f"{what}: {viewer}'s timeline: {answer[0]} {answer[2]}")
        return answer[0]

    def hold(self):
        if self.wrong:
            fail(self.wrong)

    def everybody_again(self, what):
        """Until each person has been answered after this."""
        began = time.monotonic()

        def all_answered():
            self.hold()
            return all(at > began for at in self.last_answer.values())
        until(lambda: f"everybody is answered again after {what}", all_answered, RECOVERY_S)
        return time.monotonic() - began

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        self.hold()


def settle(suite, shares):
    until(lambda: f"{shares}, has {suite.shares()}", lambda: suite.shares() == sorted(shares.items()), RECOVERY_S)


def joins(suite, writer, readers):
    settle(suite, {"feed-0": 32, "feed-1": 32})
    before, refused = suite.owners(), len(readers.refused)
    starting = threading.Thread(target=suite.start_feed, args=("feed-2",))
    starting.start()
    while starting.is_alive():
        writer.random_change()
        readers.hold()
    settle(suite, {"feed-0": 22, "feed-1": 21, "feed-2": 21})
    after = suite.owners()
    moved = {shard: owner for shard, owner in after.items() if owner != before[shard]}
    if len(moved) != 21 or set(moved.values()) != {"feed-2"}:
        fail(f"with the third instance these moved: {moved}")
    took = readers.everybody_again("a third instance has joined")
    print(f"joined: 21 of 64 shards moved, {len(readers.refused) - refused} refused, all answered after {took:.1f} s")


def is_stopped_and_goes_on(suite, writer, readers):
    """The stopped one is asked directly, by some before it stops and by others while it stands still, who then ask for
    what was taken away long ago; tokens are left out, so that only its own sense of time keeps it from showing what it
    knew. How long ago that may be is its setting.

    It can also be stopped between its last look at the clock and the call that sends. No program can look any later,
    and who asked sees a slow network, of one answer. So of what was in flight when it was stopped one may be late."""
    world, frozen = writer.world, Service(suite.ports["feed-1"])
    refused, asked, answers, late, faults = len(readers.refused), [], [], [], []
    stopped_at, asking = None, threading.Event()
    asking.set()

    def ask():
        numbers = random.Random(SEED)
        while asking.is_set():
            viewer = numbers.choice(world.people)
            asked.append(viewer)
            asked_at = time.monotonic()
            try:
                answers.append(readers.read(viewer, "the stopped instance", frozen, position="",
                                            since=lambda: world.done_before(time.monotonic() - STALENESS_S - RELAY_S)))
            except SystemExit as found:
                at = "before it stopped" if stopped_at is None else f"{time.monotonic() - stopped_at:.1f} s after its stop"
                was_in_flight = stopped_at is not None and asked_at < stopped_at
                is_late = was_in_flight and "which was taken from him" in str(found)
                (late if is_late else faults).append(f"{str(found).removeprefix('FAILED: ')}, {at}")
                return
            except (TimeoutError, ConnectionResetError):
                pass  # it stands still, or did for longer than it gives a request to arrive
            except (OSError, http.client.HTTPException) as broken:
                faults.append(repr(broken))
                return
    threads = []

    def send_askers(count):
        for _ in range(count):
            threads.append(threading.Thread(target=ask))
            threads[-1].start()
    send_askers(4)
    until("the instance answers directly", lambda: len(answers) > 50 or faults)
    # Nothing is left that it alone could publish.
    readers.everybody_again("the third instance")
    pid = suite.pid("feed-1")
    os.kill(pid, signal.SIGSTOP)
    stopped_at = time.monotonic()
    try:
        # Everybody who could see somebody cannot any more.
        for pair in sorted(tuple(sorted(pair)) for pair in world.contacts):
            writer.part(*pair)
        parted_at = time.monotonic()
        settle(suite, {"feed-0": 32, "feed-2": 32})
        took_over = readers.everybody_again("an instance was stopped")
        while time.monotonic() - parted_at < STALENESS_S + RELAY_S + 1:
            writer.random_change(may_publish=False)
            readers.hold()
        before = len(asked)
        send_askers(6)
        until("it is asked while it stands still", lambda: len(asked) >= before + 6)
    finally:
        os.kill(pid, signal.SIGCONT)
        stopped = time.monotonic() - stopped_at
    answers.clear()
    until("it answers again", lambda: len(answers) > 50 or faults)
    asking.clear()
    for thread in threads:
        thread.join()
    if faults or len(late) > 1:
        fail((faults + late)[0])
    settle(suite, {"feed-0": 22, "feed-1": 21, "feed-2": 21})
    took = readers.everybody_again("an instance went on")
    print(f"stopped for {stopped:.1f} s: {len(readers.refused) - refused} refused, all answered by the others after "
          f"{took_over:.1f} s, {answers.count(503)} of {len(answers)} refused by itself, {len(late)} sent late, "
          f"all answered after {took:.1f} s")


def is_killed(suite, writer, readers):
    refused, killed_at = len(readers.refused), time.monotonic()
    kill(f"{suite.folder}/feed-0", "services")
    until("its shards are taken over", lambda: suite.shares() == [("feed-1", 32), ("feed-2", 32)], RECOVERY_S)
    took_over = time.monotonic() - killed_at
    readers.everybody_again("an instance was killed")
    took = time.monotonic() - killed_at
    for _ in range(10):
        writer.random_change()
    suite.start_feed("feed-0")
    settle(suite, {"feed-0": 22, "feed-1": 21, "feed-2": 21})
    for _ in range(10):
        writer.random_change()
    readers.everybody_again("it was started again")
    print(f"killed: {len(readers.refused) - refused} refused, taken over after {took_over:.1f} s, "
          f"all answered after {took:.1f} s")


def is_replaced(suite, writer, readers):
    refused, writes_refused = len(readers.refused), len(writer.refused)

    def change_during(work, *arguments):
        thread = threading.Thread(target=work, args=arguments)
        thread.start()
        while thread.is_alive():
            writer.random_change()
            readers.hold()
    change_during(part, "services", "stop", "--data", f"{suite.folder}/feed-1")
    settle(suite, {"feed-0": 32, "feed-2": 32})
    readers.everybody_again("an instance was told to stop")
    change_during(suite.start_feed, "feed-1")
    settle(suite, {"feed-0": 22, "feed-1": 21, "feed-2": 21})
    readers.everybody_again("it was started again")
    if found := readers.refused[refused:] + writer.refused[writes_refused:]:
        fail(f"refused while an instance was replaced: {found}")
    print("told to stop and started again: nobody refused")


def is_quiet(suite, world, readers):
    """Everybody's timeline is exactly his, and each request goes where its shard is."""
    def all_right():
        return all(readers.read(viewer, "at the end") == 200 for viewer in world.people)
    until("all timelines at the end", all_right)
    if suite.timelines_passed_on() == 0:
        fail("nothing was passed on while shards moved")

    # The gateway sends an instance that came back nothing until its checks have passed there.
    def nothing_passed_on():
        before = suite.timelines_passed_on()
        if not all_right():
            fail("somebody was refused in the quiet")
        return suite.timelines_passed_on() == before
    until("each request goes where its shard is", nothing_passed_on)


def main():
    print(f"seed {SEED}")
    os.environ["TIDELINE_RATE_ACCOUNT"] = "1000000"
    folder = temporary_folder("instances")
    suite = Suite(folder)
    readers = None
    try:
        suite.start()
        tokens = {}
        for number in range(PEOPLE):
            _, answer = suite.accounts.expect(201, "POST", "/v1/accounts", None, registration(f"inst{number}"))
            tokens[f"inst{number}"] = answer["session"]["access_token"]
        world = World(list(tokens))
        writer = Writer(suite, world, tokens, random.Random(SEED))
        for number in range(PEOPLE):
            writer.befriend(f"inst{number}", f"inst{(number + 1) % PEOPLE}")
            writer.publish(f"inst{number}")
        readers = Readers(suite, world, tokens)
        readers.everybody_again("the start")
        joins(suite, writer, readers)
        is_stopped_and_goes_on(suite, writer, readers)
        is_killed(suite, writer, readers)
        is_replaced(suite, writer, readers)
        readers.stop()
        if world.unknown:
            fail(f"moments that nobody has published: {world.unknown}")
        is_quiet(suite, world, readers)
        print(f"{readers.answered} timelines read, {len(readers.refused)} refused, {world.done} changes")
    finally:
        if readers:
            readers.stopping.set()
        suite.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
