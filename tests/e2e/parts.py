"""Parts of the suite for the tests beside this file: the scripts of deploy/parts, a service over HTTP, what lies
in a topic. Everything that fails ends the test with a message."""
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from folders import temporary_folder  # noqa: F401  (for the tests)
from ports import free_ports  # noqa: F401

PARTS = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "parts"


def fail(what):
    sys.exit(f"FAILED: {what}")


def part(name, *arguments, environment=None):
    """`environment` is added to this process's own."""
    command = [str(PARTS / name), *map(str, arguments)]
    done = subprocess.run(command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def kill(folder, name):
    """As a crash would; a part that does not run is left alone."""
    subprocess.run([PARTS / name, "kill", "--data", folder], check=False)


def program(build, name):
    return next(path for path in build.rglob(f"tideline-{name}") if path.is_file())


def until(what, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        if condition():
            return
        if time.monotonic() > deadline:
            fail(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.1)


def in_a_day():
    """As a body of a request says a time."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() + 86400))


def query(conninfo, sql):
    done = subprocess.run(["psql", conninfo, "-XAtc", sql], capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.split()]


def topic_ends(brokers, topic, logs):
    """By partition; {} while Kafka or the topic is away."""
    wanted = [word for log in range(logs) for word in ("-t", f"{topic}:{log}:-1")]
    done = subprocess.run(["kcat", "-Q", "-b", brokers, *wanted], capture_output=True, text=True, check=False)
    ends = {}
    for line in done.stdout.splitlines():
        place, _, offset = line.rpartition(" offset ")
        ends[int(place[place.index("[") + 1:place.index("]")])] = int(offset)
    return ends


class Service:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def call(self, method, path, token=None, body=None, **headers):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in headers.items():
            if value:
                request.add_header(name.replace("_", "-"), value)
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, data, timeout=30) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, dict(refused.headers), refused.read().decode()

    def expect(self, status, method, path, token=None, body=None, **headers):
        got, answered, text = self.call(method, path, token, body, **headers)
        if got != status:
            fail(f"{method} {path}: {got} instead of {status}: {text}")
        return answered, json.loads(text) if text else None


def position_of(headers):
    return next(value for name, value in headers.items() if name.lower() == "tideline-position")


def registration(user):
    return {"user_id": user, "password": f"tideline-{user}", "real_name": user, "email": f"{user}@campus.example",
            "department": "CS"}
