"""Tideline on a cluster, with the functions that the checks of tests/chaos ask of an installation."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for folder in ("tests/chaos", "tests/support", "tests/k8s/kubernetes"):
    sys.path.insert(0, str(ROOT / folder))
from authority import Authority
from installation import SERVICES, database_of
from machine import Trouble, run, until

NAMESPACE = "tideline"
# Runs a program where names of the cluster are resolved as in a pod.
WITH_NAMES = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'


def block(page, name):
    """The commands of a page that stand below ```sh NAME."""
    found = re.search(rf"^```sh {name}\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return found.group(1)


class InstalledSuite:
    def __init__(self, cluster, built, home, say):
        # People of an earlier run may be there.
        self.run_name = f"chaos{int(time.time())}"
        self.cluster = cluster
        self.built = built
        self.home = home
        self.say = say
        self.secrets = home / "tideline-secrets"
        self.resolv = home / "resolv.conf"
        home.mkdir(parents=True, exist_ok=True)
        self.resolv.write_text(
            f"nameserver 10.92.0.10\nsearch {NAMESPACE}.svc.cluster.local\noptions ndots:5 timeout:1 attempts:5\n", encoding="utf-8")
        shim = home / "bin/kubectl"
        shim.parent.mkdir(exist_ok=True)
        shim.write_text(f'#!/bin/sh\nexec "{HERE}/cluster" kubectl "$@"\n', encoding="utf-8")
        shim.chmod(0o755)

    # --- as an operator works -------------------------------------------------------------------------

    def do(self, page, name, overlay="k8s/overlays/trial"):
        """Runs the commands of a page as they stand there, but for the overlay."""
        commands = block(page, name).replace("k8s/overlays/trial", str(overlay))
        environment = {**os.environ, "HOME": str(self.home), "PATH": f"{self.home}/bin:{os.environ['PATH']}",
                       "TIDELINE_CLUSTER": str(self.cluster.folder)}
        for line in commands.splitlines():
            self.say(f"$ {line}")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=ROOT, env=environment, capture_output=True, text=True,
                              check=False, timeout=3600)
        if done.returncode != 0:
            raise Trouble(f"{page}, {name}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def kubectl(self, *words, check=True, **more):
        return self.cluster.kubectl("-n", NAMESPACE, *words, check=check, **more)

    def pods(self, name):
        listed = json.loads(self.kubectl("get", "pods", "-l", f"app.kubernetes.io/name={name}", "-o", "json").stdout)["items"]
        return [pod for pod in listed if not pod["metadata"].get("deletionTimestamp")]

    def kind_of(self, name):
        return "statefulset" if name in ("feed", "scoring", "postgres", "kafka") else "deployment"

    def await_rolled(self, *names, seconds=600):
        for name in names:
            self.kubectl("rollout", "status", f"{self.kind_of(name)}/{name}", f"--timeout={seconds}s", timeout=seconds + 30)

    def refusals(self, seconds):
        """What the gateway could not have answered in the last seconds, as its log says: how often, by what."""
        log = self.kubectl("logs", "-l", "app.kubernetes.io/name=gateway", f"--since={seconds}s", "--tail=-1", check=False).stdout
        lines = (json.loads(line) for line in log.splitlines() if line.startswith("{"))
        found = Counter(f"{line['status']} of {line['backend']} ({line['state']})" for line in lines if line["status"] >= 500)
        return ", ".join(f"{count} {what}" for what, count in found.most_common())

    def complaints(self, name, seconds):
        """What the pods of a part that are there have logged in the last seconds as warnings and errors, but for requests."""
        log = self.kubectl("logs", "-l", f"app.kubernetes.io/name={name}", "--prefix", f"--since={seconds}s", "--tail=-1", check=False).stdout
        found = Counter()
        for pod, _, text in (line.partition("] ") for line in log.splitlines()):
            if text.startswith("{") and (line := json.loads(text)).get("level") in ("warning", "error") and line["logger"] != "http":
                found[f"{pod.split('/')[1]}: {line}"] += 1
        return found

    def pids_of(self, pod):
        uid = self.kubectl("get", "pod", pod, "-o", "jsonpath={.metadata.uid}").stdout
        return self.cluster.node_of(pod, NAMESPACE).pids_of(uid)

    def freeze(self, pod, seconds):
        """A pod stands still, all of it, for so long."""
        pids = self.pids_of(pod)
        signal_all(pids, signal.SIGSTOP)
        try:
            time.sleep(seconds)  # that is the fault
        finally:
            signal_all(pids, signal.SIGCONT)

    def restart(self, name):
        self.kubectl("rollout", "restart", f"{self.kind_of(name)}/{name}")
        self.await_rolled(name)

    def await_well(self, seconds=600):
        """Every pod of every part is ready."""
        def all_ready():
            for name in (*SERVICES, "gateway", "postgres", "kafka"):
                wanted = json.loads(self.kubectl("get", f"{self.kind_of(name)}/{name}", "-o", "json").stdout)
                if wanted["status"].get("readyReplicas", 0) < wanted["spec"]["replicas"]:
                    return False
            return True
        until("every part is ready", all_ready, seconds)

    # --- as tests ask ---------------------------------------------------------------------------------

    @property
    def gateway(self):
        address = self.kubectl("get", "service", "gateway", "-o", "jsonpath={.spec.clusterIP}").stdout
        return f"http://{address}:80"

    def binary(self, name):
        return next(path for path in self.built.rglob(name) if path.is_file() and os.access(path, os.X_OK))

    def inside(self, *words):
        return [*self.cluster.inside(), "unshare", "--mount", "sh", "-c", WITH_NAMES, str(self.resolv), *map(str, words)]

    def client(self, program, *words):
        return self.inside(self.binary(program), *words)

    def kcat(self, *words):
        tls = self.secrets / "tls"
        return self.inside("kcat", "-b", "kafka:9093", "-X", "security.protocol=SSL", "-X", f"ssl.ca.location={tls}/ca.crt",
                           "-X", f"ssl.certificate.location={tls}/kafka.crt", "-X", f"ssl.key.location={tls}/kafka.key", *words)

    def certify(self, name, *hosts):
        """Certificate and key of somebody whom the installation's own authority vouches for."""
        tls = self.secrets / "tls"
        return Authority(self.home / "tls", "root", (tls / "ca.crt", tls / "ca.key")).certify(name, *hosts)

    def psql(self, service, *words, timeout=3600):
        role = database_of(service)
        password = (self.secrets / "passwords" / role).read_text(encoding="utf-8")
        line = f"host=postgres dbname={role} user={role} sslmode=verify-full sslrootcert={self.secrets}/tls/ca.crt"
        return run(*self.inside("psql", line, "-X", *words), timeout=timeout, env={**os.environ, "PGPASSWORD": password}).stdout

    def operation(self, service, *words):
        return self.kubectl("exec", f"{self.kind_of(service)}/{service}", "-c", "service", "--", f"tideline-{service}", *words,
                            check=False, timeout=3600)

    def make_operator(self, user):
        """From the next sign-in on."""
        self.operation("accounts", "roles", "give", "operator", user)

    def healths(self):
        for service in SERVICES:
            for pod in self.pods(service):
                address = pod["status"].get("podIP")
                done = run(*self.inside("curl", "-sS", "-m", 5, f"http://{address}:9090/readyz"), check=False)
                try:
                    yield service, json.loads(done.stdout)
                except json.JSONDecodeError:
                    yield service, done.stderr.strip() or done.stdout.strip()


def signal_all(pids, which):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # what a probe ran has ended by itself
            os.kill(pid, which)
