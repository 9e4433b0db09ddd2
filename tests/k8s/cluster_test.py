"""cluster_test.py [--built DIR] [--nodes N] [--installed] [--only TEXT] [--keep] : Tideline on a real Kubernetes.

Makes a cluster, installs Tideline as k8s/README.md says, runs the demo, and then rolls, scales, drains and breaks it under the
load of tests/chaos, whose journal decides afterwards whether anything was lost or done twice. Prints a table as Markdown.

  --installed  the cluster is there with the suite on it, and stays
  --only TEXT  only steps whose names hold it
  --keep       the cluster stays
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import types

from installed_suite import NAMESPACE, ROOT, SERVICES, InstalledSuite
import next_release
from checks import Checks, await_quiet
from cluster import Cluster, default_folder
from ingress_checks import check_ingress
from installation import Trouble as TroubleOfChaos
from machine import Trouble, run, until
from running_load import Load

HERE = pathlib.Path(__file__).resolve().parent
STARTED = time.monotonic()
PEOPLE, WORKERS = 60, 8
ENDLESS = 10_000_000
DEMO_SECONDS = 1200


def say(text):
    print(f"[{time.monotonic() - STARTED:6.1f} s] {text}", file=sys.stderr, flush=True)


# --- installing --------------------------------------------------------------------------------------------

def install(suite):
    suite.do("k8s/README.md", "install")
    log = suite.kubectl("logs", "job/demo").stdout
    if not log.rstrip().endswith("VERIFIED"):
        raise Trouble(f"the demo's log does not end in VERIFIED: {log[-600:]}")
    say("the demo: " + " ".join(line.strip() for line in log.splitlines() if "requests" in line or "VERIFIED" in line))


def check_strangers(suite):
    """A pod that is none of Tideline's reaches the ingress, and nothing behind it."""
    kubectl = suite.cluster.kubectl
    reach = "; ".join(f"timeout 3 bash -c 'exec 3<>/dev/tcp/{place}' 2> /dev/null && echo {place}" for place in (
        "envoy.projectcontour/443", "gateway.tideline/80", "postgres.tideline/5432", "kafka.tideline/9093",
        *(f"{name}.tideline/8080" for name in SERVICES)))
    kubectl("run", "stranger", "--image=localhost/tideline-stores:dev", "--restart=Never", "--command", "--", "bash", "-c", f"{reach}; true")
    until("the stranger has tried", lambda: kubectl("get", "pod", "stranger", "-o", "jsonpath={.status.phase}").stdout == "Succeeded")
    reached = kubectl("logs", "stranger").stdout.split()
    kubectl("delete", "pod", "stranger", "--now")
    if reached != ["envoy.projectcontour/443"]:
        raise Trouble(f"a stranger reaches {reached}")
    say("a stranger reaches the ingress and nothing else")


# --- steps under load ------------------------------------------------------------------------------------------

class Steps:
    """Each returns when what it did is over and every part is ready again."""

    def __init__(self, suite):
        self.suite = suite
        self.cluster = suite.cluster

    def all(self):
        for name in (*SERVICES, "gateway"):
            yield f"roll {name}", lambda name=name: self.suite.restart(name)
        yield "the next release", lambda: self.upgrade("next", images=[{"name": "localhost/tideline", "newTag": "next"}])
        yield "back to the release before", lambda: self.upgrade("back")
        yield "another setting", lambda: self.upgrade("setting", configMapGenerator=[
            {"name": "service-settings", "behavior": "merge", "literals": ["TIDELINE_LOG_LEVEL=warning"]}])
        yield "another key for tokens", lambda: self.suite.do("k8s/README.md", "rotate-tokens")
        yield "feed to 3 instances", lambda: self.scale("feed", 3)
        yield "feed to 1 instance", lambda: self.scale("feed", 1)
        yield "feed to 2 instances", lambda: self.scale("feed", 2)
        yield "drain the node of no store", self.drain
        yield "PostgreSQL stands still for 60 s", self.freeze_postgres
        yield "lose a node of no store", self.lose_node

    def upgrade(self, name, **changes):
        """As k8s/README.md says, to what the tests' overlay is with these changes."""
        folder = self.suite.home / name
        folder.mkdir(exist_ok=True)
        overlay = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "namespace": NAMESPACE,
                   "resources": [os.path.relpath(HERE / "loaded", folder)], **changes}
        (folder / "kustomization.yaml").write_text(json.dumps(overlay), encoding="utf-8")
        self.suite.do("k8s/README.md", "upgrade", folder)
        self.suite.await_well()

    def scale(self, name, count):
        self.suite.kubectl("scale", f"statefulset/{name}", f"--replicas={count}")
        self.suite.await_rolled(name)
        until(f"{name} has {count} pods", lambda: len(self.suite.pods(name)) == count)

    def node_without_stores(self):
        taken = {self.cluster.node_of(pod["metadata"]["name"], NAMESPACE).name for name in ("postgres", "kafka", "scoring")
                 for pod in self.suite.pods(name)}
        free = [node for node in self.cluster.nodes if node.name not in taken]
        if not free:
            raise Trouble("every node has a part of which there is one")
        return free[-1]

    def drain(self):
        node = self.node_without_stores()
        self.cluster.kubectl("drain", node.name, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=300s", timeout=330)
        self.suite.await_well()
        self.cluster.kubectl("uncordon", node.name)

    def freeze_postgres(self):
        restarts = self.restarts()
        node = self.cluster.node_of("postgres-0", NAMESPACE)
        uid = self.suite.kubectl("get", "pod", "postgres-0", "-o", "jsonpath={.metadata.uid}").stdout
        node.freeze(uid)
        try:
            time.sleep(60)  # that is the fault
        finally:
            node.thaw(uid)
        self.suite.await_well()
        if self.restarts() != restarts:
            raise Trouble("a pod was killed because PostgreSQL did not answer")

    def restarts(self):
        listed = json.loads(self.suite.kubectl("get", "pods", "-o", "json").stdout)["items"]
        return {(pod["metadata"]["name"], status["name"]): status["restartCount"] for pod in listed
                for status in pod["status"].get("containerStatuses", [])}

    def lose_node(self):
        node = self.node_without_stores()
        node.lose()
        kubectl = self.cluster.kubectl
        until(f"{node.name} is missed", lambda: "True" not in kubectl(
            "get", "node", node.name, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].status}").stdout)
        # An operator knows that it does not run any more.
        kubectl("taint", "node", node.name, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
        self.suite.await_well()


class LiveStream:
    """live_stream.py while it runs."""

    def __init__(self, suite):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            suite.inside("/usr/bin/python3", HERE / "live_stream.py", suite.gateway, suite.run_name + "-live"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise Trouble("nobody can listen to his live timeline")

    def end(self):
        told, _ = self.process.communicate("end\n", timeout=300)
        return json.loads(told)


def run_steps(suite, only):
    journal, accounts = suite.home / "journal", suite.home / "accounts"
    options = types.SimpleNamespace(people=PEOPLE, workers=WORKERS, seed=7)
    load = Load(suite, options, journal, accounts)
    if not load.ready.wait(600) or load.process.poll() is not None:
        raise Trouble("the load cannot begin")
    suite.make_operator(f"{suite.run_name}-operator")
    load.tell("begin")
    load.allow(ENDLESS)
    load.await_seen(1)
    stream = LiveStream(suite)
    say("the load runs, and somebody listens to his live timeline")
    rows = []
    for name, step in Steps(suite).all():
        if only not in name:
            continue
        done, failures, began = load.done, load.failures, time.monotonic()
        step()
        load.await_seen(int(time.time() * 1e6))
        rows.append((name, time.monotonic() - began, load.done - done, load.failures - failures))
        say(f"{name}: {rows[-1][1]:.1f} s, {rows[-1][2]} commands, {rows[-1][3]} requests failed")
        if rows[-1][3]:
            say("  " + suite.refusals(int(time.monotonic() - began) + 1))
    told = stream.end()
    say(f"live timeline: {told}")
    if told["heard"] != told["published"]:
        raise Trouble(f"who listens to his live timeline has missed something: {told}")
    load.allow(load.done)
    load.finish()
    say(f"{load.done} commands done")
    return rows, journal, accounts


def check_laws(suite, journal, accounts):
    await_quiet(suite)
    checks = Checks(suite, journal, accounts)
    findings = []
    for check in checks.all():
        for finding in check():
            say(f"FINDING: {finding}")
            findings.append(finding)
    say(f"laws: {len(findings)} findings; {sum(checks.events.values())} events, {sum(checks.records.values())} records, "
        f"{checks.digests['compared']} digests compared")
    return findings


def table(rows):
    print("| step | seconds | commands meanwhile | requests failed |\n|---|---|---|---|")
    for name, seconds, commands, failures in rows:
        print(f"| {name} | {seconds:.1f} | {commands} | {failures} |")


def parse():
    parser = argparse.ArgumentParser(prog="tests/k8s/cluster_test.py")
    parser.add_argument("--built", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    cluster = Cluster(default_folder(), ROOT / "build/k8s", options.nodes)
    suite = None
    try:
        if not options.installed:
            run(ROOT / "deploy/install", "run", "test", "cluster", timeout=900)
            cluster.up(say)
            run(HERE / "cluster", "images", "--built", options.built, timeout=1800)
            images = cluster.images()
            images.tideline(next_release.build(ROOT / "build/k8s/next"), "localhost/tideline:next")
            cluster.bring(images, "localhost/tideline:next")
            say("this release and the next one are on the nodes")
        suite = InstalledSuite(cluster, options.built, cluster.folder / "test", say)
        if not options.installed:
            install(suite)
            check_strangers(suite)
            check_ingress(suite)
        suite.do("k8s/README.md", "upgrade", HERE / "loaded")
        suite.await_well()
        rows, journal, accounts = run_steps(suite, options.only)
        findings = check_laws(suite, journal, accounts)
        table(rows)
        return 1 if findings else 0
    except (Trouble, TroubleOfChaos, subprocess.SubprocessError) as trouble:
        print(f"FAILED: {trouble}", file=sys.stderr)
        if suite:
            print(suite.kubectl("get", "pods", "-o", "wide", check=False).stdout, file=sys.stderr)
        return 1
    finally:
        if not options.keep and not options.installed:
            cluster.down()


if __name__ == "__main__":
    sys.exit(main())
