"""cluster_test.py [OPTION]... : Tideline on a real Kubernetes, with the options of under_load.py.

Makes a cluster, installs Tideline as k8s/README.md says, runs the demo, and then rolls, scales, drains and breaks it under load.
Prints a table as Markdown.
"""
import json
import os
import pathlib
import sys

from installed_suite import NAMESPACE, ROOT, SERVICES
import next_release
import scaling_by_lag
from ingress_checks import check_ingress
from machine import Trouble, until
from mail_checks import check_mail, give_password
from under_load import install, is_wanted, main, say

HERE = pathlib.Path(__file__).resolve().parent
OVERLAY = HERE / "overlays/trial"
NEXT = "the next release"


# --- installing --------------------------------------------------------------------------------------------

def prepare(suite, only):
    if is_wanted(NEXT, only):
        images = suite.cluster.images()
        images.tideline(next_release.build(ROOT / "build/k8s/next"), "localhost/tideline:next")
        suite.cluster.bring(images, "localhost/tideline:next")
        say("this release and the next one are on the nodes")
    install(suite)
    check_strangers(suite)
    check_ingress(suite)
    give_password(suite)
    scaling_by_lag.install(suite)


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
        yield "mails with codes", lambda: check_mail(self.suite)
        for name in (*SERVICES, "gateway"):
            yield f"roll {name}", lambda name=name: self.suite.restart(name)
        yield NEXT, lambda: self.upgrade("next", images=[{"name": "localhost/tideline", "newTag": "next"}])
        yield "back to the release before", lambda: self.upgrade("back")
        yield "another setting", lambda: self.upgrade("setting", configMapGenerator=[
            {"name": "service-settings", "behavior": "merge", "literals": ["TIDELINE_LOG_LEVEL=warning"]}])
        yield "another key for tokens", lambda: self.suite.do("k8s/README.md", "rotate-tokens")
        yield "feed to 3 instances", lambda: self.scale("feed", 3)
        yield "feed to 1 instance", lambda: self.scale("feed", 1)
        yield "feed to 2 instances", lambda: self.scale("feed", 2)
        yield "feed to 3 instances and back, by KEDA", lambda: scaling_by_lag.scale(self.suite)
        yield "drain the node of no store", self.drain
        yield "PostgreSQL stands still for 60 s", self.freeze_postgres
        yield "lose a node of no store", self.lose_node

    def upgrade(self, name, **changes):
        """As k8s/README.md says, to what the tests' overlay is with these changes."""
        folder = self.suite.home / name
        folder.mkdir(exist_ok=True)
        overlay = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "namespace": NAMESPACE,
                   "resources": [os.path.relpath(OVERLAY, folder)], **changes}
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
        self.suite.freeze("postgres-0", 60)
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
        # An operator knows that it does not run any more.
        self.cluster.kubectl("taint", "node", node.name, "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
        self.suite.await_well()


def report(rows, _):
    print("| step | seconds | commands meanwhile | requests failed |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.name} | {row.seconds:.1f} | {row.commands} | {row.failures} |")


if __name__ == "__main__":
    sys.exit(main("tests/k8s/cluster_test.py", prepare, OVERLAY, lambda suite: Steps(suite).all(), report))
