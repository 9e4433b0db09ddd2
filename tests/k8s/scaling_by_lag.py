"""KEDA scales feed by how far its consumers are behind, as production says it, with a certificate of the installation's own
authority and rights that are production's. The lag is that of the load: first more than is allowed, and then less."""
import base64
import json
import pathlib

from installed_suite import NAMESPACE, ROOT
import keda
from machine import Trouble, run, until

OVERLAY = pathlib.Path(__file__).resolve().parent / "overlays/scaled"
# As kafka-users.yaml of k8s/stores/operators has it.
PRINCIPAL = "User:CN=keda"
FEW, MANY = 2, 3
SECONDS = 600


def install(suite):
    keda.install(suite.cluster, [NAMESPACE])
    suite.say("KEDA answers for external metrics")


def give_certificate(suite):
    certificate, key = suite.certify("keda")
    files = {"ca.crt": suite.secrets / "tls/ca.crt", "tls.crt": certificate, "tls.key": key}
    data = {name: base64.b64encode(file.read_bytes()).decode() for name, file in files.items()}
    suite.kubectl("apply", "-f", "-", input=json.dumps(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keda-tls"}, "data": data}))


def grant(suite):
    """It sees how far the services have read, and no event."""
    tls = suite.secrets / "tls"
    administrator = suite.home / "administrator"
    administrator.mkdir(exist_ok=True)
    (administrator / "own.pem").write_text((tls / "kafka.key").read_text() + (tls / "kafka.crt").read_text(), encoding="utf-8")
    (administrator / "properties").write_text(
        f"security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.location={administrator}/own.pem\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={tls}/ca.crt\n", encoding="utf-8")
    jars = run(ROOT / "deploy/kafka/resolve").stdout.strip()
    run(*suite.inside("java", "-Xmx128m", "-cp", f"{jars}/*", "org.apache.kafka.tools.AclCommand", "--bootstrap-server", "kafka:9093",
                      "--command-config", administrator / "properties", "--add", "--allow-principal", PRINCIPAL, "--operation", "Describe",
                      "--topic", "tideline.", "--group", "tideline-", "--resource-pattern-type", "prefixed"))


class Feed:
    """Its scaling, as Kubernetes tells it."""

    def __init__(self, suite):
        self.suite = suite

    def ask(self, kind, name, path):
        return self.suite.kubectl("get", kind, name, "-o", f"jsonpath={path}", check=False).stdout

    def ready(self):
        return self.ask("scaledobject.keda.sh", "feed", "{.status.conditions[?(@.type=='Ready')].status}") == "True"

    def lag(self):
        """Of an instance; empty: not known."""
        return self.ask("hpa", "keda-hpa-feed", "{.status.currentMetrics[0].external.current.averageValue}")

    def is_scaled_to(self, count):
        """It is KEDA's autoscaler that wants as many, and they are there."""
        wanted = self.ask("hpa", "keda-hpa-feed", "{.status.desiredReplicas}")
        there = self.ask("statefulset", "feed", "{.status.readyReplicas}")
        return wanted == there == str(count) and len(self.suite.pods("feed")) == count


def allow_lag(suite, events):
    """Of an instance: what is beyond it wants another one."""
    suite.kubectl("patch", "scaledobject.keda.sh/feed", "--type=json", "-p", json.dumps(
        [{"op": "replace", "path": "/spec/triggers/0/metadata/lagThreshold", "value": str(events)}]))


def scale(suite):
    feed = Feed(suite)
    if len(suite.pods("feed")) != FEW:
        raise Trouble(f"feed has not {FEW} instances to begin with")
    give_certificate(suite)
    grant(suite)
    suite.kubectl("apply", "-k", OVERLAY)
    try:
        until("KEDA sees the lag", lambda: feed.ready() and feed.lag())
        suite.say(f"KEDA sees a lag of {feed.lag()} for an instance")
        until(f"KEDA scales feed to {MANY}", lambda: feed.is_scaled_to(MANY), SECONDS)
        suite.say(f"that is more than is allowed: {MANY} instances, with a lag of {feed.lag()} each")
        # How fast the load is, and so how large the lag, depends on the machine: that much it is on none.
        allow_lag(suite, 100_000)
        until(f"KEDA scales feed to {FEW}", lambda: feed.is_scaled_to(FEW), SECONDS)
        suite.say(f"now it is less: {FEW} instances, with a lag of {feed.lag()} each")
    finally:
        suite.kubectl("delete", "-k", OVERLAY, "--timeout=120s")
    suite.await_well()
