"""What both benchmarks of scoring need: how many members, and servers that listen."""

import os
import socket
import subprocess
import time

from harness import Bench, BenchFailed
from ports import free_ports

MEMBERS = 30_000_000
QUICK_MEMBERS = 1_000_000
START_DEADLINE_S = 600
REDIS = ["redis-server", "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]


def members_of(bench: Bench) -> int:
    """TIDELINE_BENCH_MEMBERS: for a machine with less memory (Redis takes some 110 bytes each)."""
    return int(os.environ.get("TIDELINE_BENCH_MEMBERS", QUICK_MEMBERS if bench.quick else MEMBERS))


class Server:
    """A process that listens on a port of its own."""

    def __init__(self, *words: object):
        self.port = free_ports(1)[0]
        line = [str(word) for word in words] + ["--port", str(self.port)]
        self.process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up = time.monotonic() + START_DEADLINE_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise BenchFailed(f"{line[0]} does not listen")
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
