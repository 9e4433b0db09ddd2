"""An installation of the whole suite in a folder of its own, whose parts are started again when they die.

Started through deploy/parts. Between the services and their stores lies a TCP proxy, so that connections
can be cut; the data of the stores lie on file systems of their own, so that disks can be filled.
"""

import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry
from ports import free_ports

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ROOT / "deploy/parts"
SERVICES = registry.names()
SNAPSHOT_SERVICES = [service.name for service in registry.read() if service.snapshots]
START_SECONDS = 150
PATIENT_SECONDS = 600  # of a service that may have much to read again
DISK_MB = {"postgres": 8192, "kafka": 4096}  # bounds; memory is taken by what is written alone

# Holds the end of a pipe to the test, and clears up when the test has ended, however that came about.
JANITOR = """
read -r keep || true
home=$1 parts=$2
for round in 1 2; do
  "$parts/gateway" kill --data "$home/gateway"
  for name in "$home"/services/*; do "$parts/services" kill --data "$name"; done
  for pid in "$home"/services/*/snapshots/pid; do (. "$parts/process.sh" && process_stop "$pid" KILL 5); done
  "$parts/kafka" kill --data "$home/kafka"
  "$parts/postgres" kill --data "$home/postgres"
  ! read -r proxy < "$home/proxy.pid" || kill -KILL "$proxy"
done > /dev/null 2>&1
for disk in postgres/cluster kafka/data; do
  while mountpoint -q "$home/$disk" && ! umount "$home/$disk"; do read -rt 0.2 <> <(:); done
done > /dev/null 2>&1
[ "$keep" = keep ] || rm -rf "$home"
"""

PROXY = """
global
  maxconn 8000
  stats socket {home}/proxy.sock mode 600 level admin
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:{postgres_proxy}
  server postgres 127.0.0.1:{postgres}
listen kafka
  bind 127.0.0.1:{kafka_proxy}
  server kafka 127.0.0.1:{kafka}
"""


def database_of(service):
    return f"tideline_{service.replace('-', '_')}"


class Trouble(Exception):
    """The installation cannot be brought up, or does not come back."""


def run(*command, env=None, check=True, timeout=START_SECONDS):
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        check=False,
    )
    if check and done.returncode != 0:
        # No word with a blank: a line of libpq holds a password.
        named = " ".join(word for word in map(str, command[:8]) if " " not in word)
        raise Trouble(f"{named}: {done.stderr.strip() or done.stdout.strip()}")
    return done


def ask_haproxy(path, command):
    with socket.socket(socket.AF_UNIX) as admin:
        admin.settimeout(5)
        admin.connect(str(path))
        admin.sendall(command.encode() + b"\n")
        return admin.recv(65536).decode()


class Installation:
    def __init__(self, built, run_name, say, snapshot_interval_s):
        self.built = built
        self.snapshot_interval_s = snapshot_interval_s
        self.say = say
        self.run_name = run_name
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tideline-chaos.", dir="/var/tmp"))
        self.home.chmod(0o755)
        names = ["postgres", "postgres_proxy", "kafka", "kafka_proxy", "controller", "gateway", "metrics"] + SERVICES
        self.ports = dict(zip(names, free_ports(len(names))))
        self.own_disks = False
        self.restarts = 0
        self.starts = {}  # part -> the command that starts it
        self.supervisors = []
        self.supervising = threading.Event()
        self.janitor = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "-c", JANITOR, "janitor", str(self.home), str(PARTS)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    # --- bringing it up -----------------------------------------------------------------------------

    @property
    def gateway(self):
        return f"http://127.0.0.1:{self.ports['gateway']}"

    def folder(self, part):
        return self.home / (f"services/{part}" if part in SERVICES else part)

    def pids(self, part):
        """The process of a part, and PostgreSQL's children; none when it does not run."""
        done = run("bash", "-c", f'. {PARTS}/process.sh; process_pid "$1"', "pids", self.folder(part) / "pid", check=False)
        pids = [int(word) for word in done.stdout.split()]
        if pids and part == "postgres":
            pids += [int(word) for word in run("pgrep", "-P", pids[0], check=False).stdout.split()]
        return pids

    def binary(self, name):
        found = [path for path in self.built.rglob(name) if path.is_file() and os.access(path, os.X_OK)]
        if not found:
            raise Trouble(f"{name} is not built in {self.built}")
        return found[0]

    def start(self):
        run(ROOT / "deploy/kafka/resolve", timeout=600)
        kid = run(PARTS / "secrets", "--data", self.home / "secrets").stdout.strip()
        data = {part: ["--data", self.folder(part)] for part in ["postgres", "kafka", "gateway"] + SERVICES}
        self.starts["postgres"] = [PARTS / "postgres", "start", *data["postgres"], "--port", self.ports["postgres"]]
        self.starts["kafka"] = [
            *(PARTS / "kafka", "start", *data["kafka"], "--port", self.ports["kafka"]),
            *("--controller-port", self.ports["controller"], "--advertised-port", self.ports["kafka_proxy"]),
        ]
        self.start_proxy()
        self.make_disks()
        stores = [threading.Thread(target=run, args=self.starts[part]) for part in ("postgres", "kafka")]
        for store in stores:
            store.start()
        for store in stores:
            store.join()
        for name in SERVICES:
            self.starts[name] = self.start_of_service(name, kid, data[name])
        self.starts["gateway"] = self.start_of_gateway(kid, data["gateway"])
        self.in_parallel([lambda part=part: run(*self.starts[part], env=self.gateway_env()) for part in SERVICES + ["gateway"]])
        for name in SNAPSHOT_SERVICES:
            self.start_snapshots(name)

    @staticmethod
    def in_parallel(calls):
        failures = []

        def guarded(call):
            try:
                call()
            except Exception as failure:  # pylint: disable=broad-except
                failures.append(failure)

        threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def start_proxy(self):
        config = self.home / "proxy.cfg"
        config.write_text(PROXY.format(home=self.home, **self.ports), encoding="utf-8")
        proxy = subprocess.Popen(  # pylint: disable=consider-using-with
            ["haproxy", "-db", "-f", str(config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"},
        )
        (self.home / "proxy.pid").write_text(f"{proxy.pid}\n", encoding="utf-8")

    def make_disks(self):
        """The cluster is made on the common disk and moves to its own; Kafka's own disk begins empty."""
        run(*self.starts["postgres"])
        run(PARTS / "postgres", "stop", "--data", self.folder("postgres"))
        cluster, logs = self.folder("postgres") / "cluster", self.folder("kafka") / "data"
        self.folder("kafka").mkdir(exist_ok=True)
        logs.mkdir(exist_ok=True)
        if os.geteuid() != 0:
            return
        kept = cluster.with_name("cluster.made")
        cluster.rename(kept)
        cluster.mkdir()
        self.own_disks = self.mount(cluster, "postgres") and self.mount(logs, "kafka")
        run("cp", "-a", f"{kept}/.", cluster)
        shutil.rmtree(kept)
        run("chown", "tideline:tideline", cluster, logs, self.folder("kafka"))
        run("chmod", "700", cluster, logs)

    @staticmethod
    def mount(folder, disk):
        return run("mount", "-t", "tmpfs", "-o", f"size={DISK_MB[disk]}m", "tmpfs", folder, check=False).returncode == 0

    def start_of_service(self, name, kid, data):
        database = database_of(name)
        run(PARTS / "postgres", "database", "--data", self.folder("postgres"), "--name", database)
        direct = self.folder("postgres") / "databases" / database
        proxied = direct.with_name(f"{database}.proxied")
        proxied.touch(mode=0o600)
        proxied.write_text(
            direct.read_text(encoding="utf-8").replace(
                f" port={self.ports['postgres']} ", f" port={self.ports['postgres_proxy']} "
            ),
            encoding="utf-8",
        )
        settings = []
        if name in SNAPSHOT_SERVICES:
            folders = '. "$1/process.sh"; ensure_service_user; ensure_folder "$2"; ensure_folder "$3"'
            run("bash", "-ec", folders, "folders", PARTS, self.folder(name), self.snapshots_of(name))
            prefix = f"TIDELINE_{name.upper()}_SNAPSHOT"
            settings = ["--set", f"{prefix}_FOLDER={self.snapshots_of(name)}"]
            settings += ["--set", f"{prefix}_INTERVAL_S={self.snapshot_interval_s}"]
        if name == "accounts":
            key = self.home / "secrets/jwt" / f"{kid}.pem"
            settings = ["--set", f"TIDELINE_JWT_SIGNING_KEY={key}", "--set", "TIDELINE_OPERATOR_SECOND_FACTOR=offered"]
        return [
            *(PARTS / "services", "start", *data, "--name", name, "--binary", self.binary(f"tideline-{name}")),
            *("--port", self.ports[name], "--database", proxied, "--secrets", self.home / "secrets"),
            *("--brokers", f"127.0.0.1:{self.ports['kafka_proxy']}", *settings),
        ]

    def snapshots_of(self, name):
        return self.folder(name) / "snapshots"

    def start_snapshots(self, name):
        """Beside the service, as deploy/run does: without them a start reads every event."""
        folder = self.snapshots_of(name)
        script = '. "$1/process.sh"; process_start "$2/pid" "$2/log" "${@:3}"'
        run("bash", "-ec", script, "snapshots", PARTS, folder, self.folder(name) / "bin" / f"tideline-{name}", "--config",
            self.folder(name) / "config", "snapshot")

    def without_snapshot(self):
        """Services of which none was taken: each start has read all from the beginning."""
        logs = {name: self.snapshots_of(name) / "log" for name in SNAPSHOT_SERVICES}
        return [name for name, log in logs.items() if '"file":' not in log.read_text(encoding="utf-8")]

    def start_of_gateway(self, kid, data):
        addresses = [word for name in SERVICES for word in (f"--{name}", f"127.0.0.1:{self.ports[name]}")]
        return [
            *(PARTS / "gateway", "start", *data, "--port", self.ports["gateway"], "--metrics-port", self.ports["metrics"]),
            *("--kid", kid, "--key", self.home / "secrets/jwt_public" / f"{kid}.pem", *addresses),
        ]

    def gateway_env(self):
        return {
            "TIDELINE_RATE_ACCOUNT": "1000000",
            "TIDELINE_RATE_ANONYMOUS": "1000000",
            "TIDELINE_GATEWAY_ADMIN_SOCKET": str(self.home / "gateway/admin.sock"),
        }

    # --- keeping it up ------------------------------------------------------------------------------

    def supervise(self):
        """From now on each part that has died is started again, as systemd or Kubernetes would."""
        self.supervising.set()
        for part in self.starts:
            thread = threading.Thread(target=self.keep_up, args=(part,), daemon=True)
            thread.start()
            self.supervisors.append(thread)

    def keep_up(self, part):
        while self.supervising.is_set():
            if not self.pids(part):
                self.restarts += 1
                self.keep_log(part)
                run(*self.starts[part], env=self.gateway_env(), check=False, timeout=PATIENT_SECONDS)
            time.sleep(0.1)

    def keep_log(self, part):
        """Logs of all lives: a part begins a new one when it starts."""
        for name in ("log", "console"):
            log = self.folder(part) / name
            if log.exists():
                with open(log, "rb") as old, open(self.folder(part) / f"{name}.all", "ab") as kept:
                    shutil.copyfileobj(old, kept)

    def restart(self, part):
        """As an operator would: stopped, started, ready. Not while it is supervised."""
        run(PARTS / "services", "stop", "--data", self.folder(part))
        run(*self.starts[part], timeout=PATIENT_SECONDS)

    def make_operator(self, user):
        """From the next sign-in on."""
        run(PARTS.parent / "operate", "accounts", "roles", "give", "operator", user, env={"TIDELINE_HOME": str(self.home)})

    def readiness(self):
        """What is not well, by part; empty: all is."""
        trouble = {part: "does not run" for part in self.starts if not self.pids(part)}
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['metrics']}/readyz", timeout=2) as answer:
                reached = json.load(answer)["services"]
        except OSError as failure:
            return {**trouble, "gateway": str(failure)}
        for name, servers in reached.items():
            if servers == 0:
                trouble.setdefault(name, "not ready")
        return trouble

    def await_well(self, seconds):
        deadline = time.monotonic() + seconds
        while trouble := self.readiness():
            if time.monotonic() > deadline:
                raise Trouble(f"after {seconds} s: " + ", ".join(f"{part} {what}" for part, what in trouble.items()))
            time.sleep(0.1)

    def healths(self):
        """What each instance says of itself, or why it does not, with its service."""
        for service in SERVICES:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[service]}/readyz", timeout=5) as answer:
                    yield service, json.load(answer)
            except OSError as failure:
                yield service, str(failure)

    # --- what checks ask ------------------------------------------------------------------------------

    def client(self, program, *words):
        """The words that run a program of the build, which speaks to the gateway."""
        return [str(word) for word in (self.binary(program), *words)]

    def operation(self, service, *words):
        folder = self.folder(service)
        return run(folder / f"bin/tideline-{service}", "--config", folder / "config", *words, check=False, timeout=3600)

    def psql(self, service, *words, timeout=3600):
        return run("psql", self.conninfo(database_of(service)), "-X", *words, timeout=timeout).stdout

    def kcat(self, *words):
        """The words that run kcat."""
        return ["kcat", "-b", f"127.0.0.1:{self.ports['kafka_proxy']}", *words]

    def conninfo(self, database="postgres"):
        line = (self.folder("postgres") / "conninfo").read_text(encoding="utf-8").strip()
        return line.replace(" dbname=postgres ", f" dbname={database} ")

    def stop_supervising(self):
        self.supervising.clear()
        for thread in self.supervisors:
            thread.join()

    def clear_up(self, keep):
        self.supervising.clear()
        self.janitor.stdin.write(b"keep\n" if keep else b"\n")
        self.janitor.stdin.close()
        self.janitor.wait()


def pick_seed():
    return random.SystemRandom().randrange(1, 10**9)
