"""Servers for the benchmarks of the edge, and wrk before them. Each server has one processor for
itself and the client the others, so that a figure is what one processor gives away."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness import Bench, BenchFailed
from ports import free_ports

SERVER_CPU = "0"
CLIENT_CPUS = f"1-{os.cpu_count() - 1}" if (os.cpu_count() or 1) > 1 else "0"
CONNECTIONS = 64
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location = /small {{ default_type application/json; return 200 '{body}'; }}
  }}
}}
"""

PIPELINE = """
init = function()
  local requests = {{}}
  for i = 1, {depth} do requests[i] = wrk.format() end
  all = table.concat(requests)
end
request = function() return all end
"""


@dataclass(frozen=True)
class Turn:
    requests_per_s: float
    cpu_us: float  # of the server, a request


class WebServer:
    def __init__(self, command: list[str], cpus: str = SERVER_CPU):
        pinned = ["taskset", "-c", cpus, *command]
        self.process = subprocess.Popen(pinned, stdout=subprocess.PIPE, text=True)
        self.port = 0
        self.token = ""

    def listens(self) -> "WebServer":
        """Our programs say where, as soon as they do."""
        line = self.process.stdout.readline()
        if not line:
            raise BenchFailed("a server did not start")
        self.port, self.token = (json.loads(line)[key] for key in ("port", "token"))
        return self

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def wrk(self, path: str, seconds: int, *more: str) -> Turn:
        before = self.cpu_s()
        command = ["taskset", "-c", CLIENT_CPUS, "wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s",
                   *more, f"http://127.0.0.1:{self.port}{path}"]
        done = subprocess.run(command, capture_output=True, text=True)
        cpu_s = self.cpu_s() - before
        requests = re.search(r"(\d+) requests in", done.stdout)
        rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
        if done.returncode != 0 or not requests or not rate or int(requests[1]) == 0:
            raise BenchFailed(f"wrk: {done.stdout}{done.stderr}")
        if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
            raise BenchFailed(f"not every request was answered: {done.stdout}")
        return Turn(float(rate[1]), cpu_s / int(requests[1]) * 1e6)


class WebServers:
    """Ended with the benchmark."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.servers: list[WebServer] = []

    def __enter__(self) -> "WebServers":
        return self

    def __exit__(self, *_) -> None:
        for server in self.servers:
            server.stop()

    def ours(self) -> WebServer:
        keys = self.bench.scratch / "keys"
        (keys / "public").mkdir(parents=True)
        for command in [
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{keys}/bench.pem"],
            ["pkey", "-in", f"{keys}/bench.pem", "-pubout", "-out", f"{keys}/public/bench.pem"],
        ]:
            subprocess.run(["openssl", *command], check=True, capture_output=True)
        return self._start([self._program(), "serve", "--keys", str(keys)]).listens()

    def pistache(self) -> WebServer:
        return self._start([self._program(), "pistache"]).listens()

    def nginx(self, body: str) -> WebServer:
        folder = self.bench.scratch / "nginx"
        folder.mkdir()
        port = free_ports(1)[0]
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, body=body))
        server = self._start(["nginx", "-p", str(folder), "-c", "nginx.conf"])
        server.port = port
        self.answer_of(server)
        return server

    def answer_of(self, server: WebServer) -> str:
        url = f"http://127.0.0.1:{server.port}/small"
        command = ["curl", "-sf", "--retry", "50", "--retry-delay", "0", "--retry-connrefused", url]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise BenchFailed(f"no answer from {url}")
        return done.stdout

    def pipeline(self, depth: int) -> list[str]:
        """What makes wrk send so many requests at once."""
        script = self.bench.scratch / "pipeline.lua"
        script.write_text(PIPELINE.format(depth=depth))
        return ["-s", str(script)]

    def p99_ms(self, server: WebServer, rate: float, seconds: int) -> float:
        return self.bench.command("taskset", "-c", CLIENT_CPUS, self._program(), "load", "--port", server.port,
                                  "--connections", CONNECTIONS, "--rate", int(rate), "--seconds", seconds)["p99_ms"]

    def _program(self) -> str:
        return str(self.bench.path_of("tideline-bench-http"))

    def _start(self, command: list[str]) -> WebServer:
        server = WebServer(command)
        self.servers.append(server)
        return server


def compare_turns(bench: Bench, case: str, unit: str, ours, theirs, peer: str, goal: float | None) -> None:
    """Requests a second, and from the same turns the processor time of each."""
    ours_cpu, theirs_cpu = [], []

    def rate(measure, cpu: list[float]) -> float:
        turn = measure()
        cpu.append(turn.cpu_us)
        return turn.requests_per_s

    bench.compare(case, unit, ours=lambda: rate(ours, ours_cpu),
                  peer=peer, theirs=lambda: rate(theirs, theirs_cpu), goal=goal)
    ours_again, theirs_again = iter(ours_cpu), iter(theirs_cpu)
    bench.compare(f"{case}, processor time", "us", ours=lambda: next(ours_again),
                  peer=peer, theirs=lambda: next(theirs_again), goal=goal, smaller_is_better=True)
