"""Faults of stores that have copies: of a member, of its node, and of the ways between members, clients and Kubernetes."""
import json
import os
import signal
import time

from installed_suite import NAMESPACE, SERVICES
from control_plane import FIRST_SERVICE
from machine import CONTROL_PLANE_ADDRESS, Trouble, run, until

CUT_SECONDS = 40
FENCED_SECONDS = 60
# Kubernetes' API, as the control plane and as pods call it.
API = [CONTROL_PLANE_ADDRESS, FIRST_SERVICE]


class StoreFaults:
    """Each returns when what it did is over and every part is ready again."""

    def __init__(self, suite):
        self.suite = suite
        self.cluster = suite.cluster

    def all(self):
        yield "kill -9 of the leading PostgreSQL", self.kill_leader
        yield "the leading PostgreSQL's pod is deleted", self.delete_leader
        yield "the node of the leading PostgreSQL is lost", lambda: self.lose_node(self.leader())
        yield "the leading PostgreSQL is cut off from its replicas, not from clients", self.cut_from_replicas
        yield "the leading PostgreSQL is cut off from clients, not from its replicas", self.cut_from_clients
        yield "the leading PostgreSQL is cut off from replicas and Kubernetes, not from clients", self.isolate_with_clients
        yield "the leading PostgreSQL is cut off from Kubernetes alone", self.cut_from_kubernetes
        yield "Kubernetes' API is away", self.stop_api
        yield "kill -9 of a broker", lambda: self.kill("kafka-0", b"kafka.Kafka")
        yield "a broker is cut off from the others, not from clients", self.cut_broker
        yield "a broker stands still", self.freeze_broker
        yield "the node of a broker is lost", lambda: self.lose_node("kafka-1")
        yield "all brokers and PostgreSQLs are replaced, one after the other", self.roll_stores

    # --- who leads --------------------------------------------------------------------------------------

    def leader(self):
        """The member to which the Endpoints "postgres" lead."""
        def named():
            subsets = json.loads(self.suite.kubectl("get", "endpoints", "postgres", "-o", "json").stdout).get("subsets", [])
            names = [address["targetRef"]["name"] for subset in subsets for address in subset.get("addresses", [])]
            return names[0] if len(names) == 1 else None
        return until("a PostgreSQL leads", named)

    def members(self, name="postgres"):
        """Addresses of pods by their names."""
        return {pod["metadata"]["name"]: pod["status"].get("podIP") for pod in self.suite.pods(name)}

    def takes_writes(self, member):
        said = self.suite.kubectl("exec", member, "-c", "postgres", "--", "psql", "-h", "/tmp", "-U", "postgres", "-XAtc",
                                  "SELECT NOT pg_is_in_recovery()", check=False, timeout=30)
        return said.stdout.strip() == "t"

    def await_one_leader(self):
        """One takes writes, and it is the one to which clients are led."""
        until("one PostgreSQL takes writes", lambda: [one for one in self.members() if self.takes_writes(one)] == [self.leader()])

    # --- processes --------------------------------------------------------------------------------------

    def kill(self, pod, word):
        """The processes of a pod whose command has a word in it, as a fault of memory would."""
        hit = [pid for pid in self.suite.pids_of(pod) if word in read_command(pid)]
        if not hit:
            raise Trouble(f"{pod} runs no {word.decode()}")
        for pid in hit:
            os.kill(pid, signal.SIGKILL)
        self.recover()

    def kill_leader(self):
        self.kill(self.leader(), b"bin/postgres")

    def delete_leader(self):
        before = self.leader()
        self.suite.kubectl("delete", "pod", before, "--wait=true", timeout=400)
        self.recover()

    def recover(self):
        self.suite.await_well()
        self.await_one_leader()

    # --- nodes ------------------------------------------------------------------------------------------

    def lose_node(self, pod):
        node = self.cluster.node_of(pod, NAMESPACE)
        self.move_scoring_from(node)
        node.lose()
        until("another leads", lambda: self.leader_answers_from_elsewhere(node))
        time.sleep(CUT_SECONDS)  # for so long nobody comes
        node.come_back()
        self.recover()

    def leader_answers_from_elsewhere(self, node):
        leader = self.leader()
        return self.cluster.node_of(leader, NAMESPACE).name != node.name and self.takes_writes(leader)

    def move_scoring_from(self, node):
        """There is one scoring: where it is lost too, it waits for the word of an operator (k8s/README.md)."""
        if self.cluster.node_of("scoring-0", NAMESPACE).name != node.name:
            return
        self.cluster.kubectl("cordon", node.name)
        self.suite.kubectl("delete", "pod", "scoring-0")
        self.suite.await_rolled("scoring")
        self.cluster.kubectl("uncordon", node.name)

    # --- ways -------------------------------------------------------------------------------------------

    def cut(self, pod, rules, meanwhile=lambda: time.sleep(CUT_SECONDS)):
        """Rules of iptables in the pod's own network, ahead of all others, for as long as `meanwhile` takes."""
        within = ("nsenter", f"--net=/proc/{self.suite.pids_of(pod)[0]}/ns/net", "iptables", "-w")
        for rule in rules:
            run(*within, "-I", *rule)
        try:
            meanwhile()
        finally:
            for rule in rules:
                run(*within, "-D", *rule)
        self.recover()

    def cut_from_replicas(self):
        leader = self.leader()
        others = [address for name, address in self.members().items() if name != leader]
        self.cut(leader, both_ways(others))

    def cut_from_clients(self):
        leader = self.leader()
        members = [address for name, address in self.members().items() if name != leader]
        # The last of them stands first.
        self.cut(leader, [("INPUT", "-p", "tcp", "--dport", "5432", "-j", "DROP"),
                          *(("INPUT", "-s", address, "-j", "ACCEPT") for address in members)])

    def cut_from_kubernetes(self):
        self.cut(self.leader(), both_ways(API))

    def isolate_with_clients(self):
        """The one that clients still reach must not take their writes when another leads."""
        leader = self.leader()
        others = [address for name, address in self.members().items() if name != leader]
        began = time.monotonic()

        def fenced():
            until("another PostgreSQL leads", lambda: self.leader() != leader, FENCED_SECONDS)
            until(f"{leader} takes no writes", lambda: not self.takes_writes(leader), FENCED_SECONDS)
            self.suite.say(f"{leader} is fenced after {time.monotonic() - began:.1f} s")
            time.sleep(max(0, CUT_SECONDS - (time.monotonic() - began)))
        self.cut(leader, both_ways([*others, *API]), fenced)

    def stop_api(self):
        before = self.leader()
        self.cluster.control_plane.process("kube-apiserver").stop()
        try:
            time.sleep(CUT_SECONDS)
        finally:
            self.cluster.control_plane.start_api_server()
        self.recover()
        if self.leader() != before:
            raise Trouble("another PostgreSQL leads because Kubernetes did not answer")

    # --- brokers ----------------------------------------------------------------------------------------

    def cut_broker(self):
        others = [address for name, address in self.members("kafka").items() if name != "kafka-2"]
        self.cut("kafka-2", both_ways(others))

    def freeze_broker(self):
        self.suite.freeze("kafka-0", CUT_SECONDS)
        self.recover()

    def roll_stores(self):
        for name in ("kafka", "postgres"):
            self.suite.restart(name)
        self.recover()


def both_ways(addresses):
    return [rule for address in addresses for rule in (("INPUT", "-s", address, "-j", "DROP"), ("OUTPUT", "-d", address, "-j", "DROP"))]


def read_command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def pauses(journal, row):
    """The longest times of a step in which a service acknowledged nothing, and showed nothing new: seconds, of the service for
    which it was longest."""
    return [max(longest_gap([at for _, at in answers[service]], row) for service in SERVICES)
            for answers in (journal.acknowledged, journal.seen)]


def longest_gap(moments, row):
    edges = [row.began, *sorted(at for at in moments if row.began <= at <= row.ended), row.ended]
    return max(later - earlier for earlier, later in zip(edges, edges[1:])) / 1e6
