"""A whole suite of its own for the attacks beside this file, and people who use it through the gateway."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import folders  # noqa: E402
PASSWORD = "tideline for ever"
WAIT_S = 30


def fail(what):
    sys.exit(f"FAILED: {what}")


def check(condition, what):
    if not condition:
        fail(what)


def free_base():
    """Of ports: deploy/run takes some between base + 80 and base + 433."""
    for _ in range(200):
        base = random.randrange(20000, 30000, 500)
        try:
            for offset in (80, 81, 92, 93, 101, 102, 103, 104, 105, 432):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", base + offset))
            return base
        except OSError:
            continue
    fail("no free ports")


class Suite:
    def __init__(self, build, settings):
        self.build = build
        self.base = free_base()
        self.home = pathlib.Path(folders.temporary_folder("abuse"))
        self.environment = {**os.environ, **settings, "TIDELINE_HOME": str(self.home),
                            "TIDELINE_PORT_BASE": str(self.base)}
        for name in ("TIDELINE_PG", "TIDELINE_KAFKA"):
            self.environment.pop(name, None)

    def __enter__(self):
        self._deploy("run", "--built", self.build, "--no-demo")
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            for log in sorted(self.home.glob("services/*/log")):
                print(f"--- {log.parent.name}\n" + "\n".join(log.read_text().splitlines()[-8:]), file=sys.stderr)
        subprocess.run([ROOT / "deploy/stop"], env=self.environment, stdout=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.home, ignore_errors=True)

    def _deploy(self, script, *arguments):
        done = subprocess.run([ROOT / "deploy" / script, *arguments], env=self.environment, capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0, f"deploy/{script}: {done.stdout}{done.stderr}")

    def query(self, service, sql):
        conninfo = (self.home / "postgres/databases" / f"tideline_{service.replace('-', '_')}").read_text().strip()
        done = subprocess.run(["psql", conninfo, "-XAtc", sql], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    def resident_kib(self, service):
        pid = (self.home / "services" / service / "pid").read_text().split()[0]
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return fail(f"{service} does not run")

    @contextlib.contextmanager
    def without_kafka(self):
        """It stands still, as a broker does that swaps or has lost its disk."""
        pid = int((self.home / "kafka/pid").read_text().split()[0])
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def metric(self, service, name):
        port = self.base + int(next(line.split()[1] for line in (ROOT / "services/registry.txt").read_text().splitlines()
                                    if line.startswith(service + " ")))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))

    def person(self, user_id):
        return Person(self.base + 80, user_id)


class Person:
    """Registered by his first call of sign_up(). Keeps one connection; not thread-safe."""

    def __init__(self, port, user_id):
        self.port = port
        self.user_id = user_id
        self.token = ""
        self.position = ""
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)

    def ask(self, method, path, body=None):
        """Status, decoded body and headers."""
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.position:
            headers["Tideline-Position"] = self.position
        text = json.dumps(body) if body is not None else None
        try:
            self.connection.request(method, path, text, headers)
            answer = self.connection.getresponse()
        except (http.client.HTTPException, ConnectionError):  # an idle connection may have been closed
            self.connection.close()
            self.connection.request(method, path, text, headers)
            answer = self.connection.getresponse()
        said = answer.read()
        self.position = answer.getheader("Tideline-Position") or self.position
        return answer.status, json.loads(said) if said else None, answer.headers

    def must(self, status, method, path, body=None):
        """Again while it is 503, as every client has to: a model may be behind on a machine that is busy."""
        deadline = time.monotonic() + WAIT_S
        got, said, _ = self.ask(method, path, body)
        while got == 503 != status and time.monotonic() < deadline:
            got, said, _ = self.ask(method, path, body)
        check(got == status, f"{method} {path} was answered {got}, not {status}: {said}")
        return said

    def sign_up(self):
        said = self.must(201, "POST", "/v1/accounts", {
            "user_id": self.user_id, "password": PASSWORD, "real_name": f"Student {self.user_id}",
            "email": f"{self.user_id}@campus.example", "sex": 0, "department": "Physics"})
        self.token = said["session"]["access_token"]
        return self

    def sign_in(self, password=PASSWORD):
        """Status and headers; keeps the token of one that went well."""
        token, self.token = self.token, ""
        status, said, headers = self.ask("POST", "/v1/sessions", {"user_id": self.user_id, "password": password})
        self.token = said["access_token"] if status == 201 else token
        return status, headers


def until(what, condition, seconds=WAIT_S):
    deadline = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < deadline, f"not within {seconds} s: {what}")
        time.sleep(0.02)


def median_ms(times):
    return sorted(times)[len(times) // 2] * 1000
