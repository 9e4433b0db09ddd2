"""The load while it runs: tideline-chaos-load, told how far it may go and telling how far it is."""

import collections
import json
import subprocess
import threading
import time

from installation import Trouble

# Something hangs. How long it took is printed, and decides nothing: machines are slow and shared.
RECOVERY_SECONDS = 600
LOAD_SECONDS = 3600


class Load:
    """The running load: how far it is, and how far it may go."""

    def __init__(self, home, options, journal, accounts):
        self.done = 0
        self.seen_since_us = 0
        self.failures = 0
        self.failed = collections.Counter()  # "STATUS KIND: WHY"
        self.ready = threading.Event()
        self.attempts = {}
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            home.client(
                *("tideline-chaos-load", "--gateway", home.gateway, "--run", home.run_name),
                *("--journal", journal, "--accounts", accounts, "load"),
                *("--people", options.people, "--workers", options.workers, "--seed", options.seed),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.attempts = json.loads(line)["attempts"]
            elif line == "ready\n":
                self.ready.set()
            elif line.startswith("done "):
                self.done, self.seen_since_us, self.failures = map(int, line.split()[1:])
            elif line.startswith("failed "):
                _, count, what = line.rstrip("\n").split(" ", 2)
                self.failed[what] += int(count)
        self.ready.set()

    def tell(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def allow(self, commands):
        self.tell(f"allow {commands}")

    def await_true(self, condition, what, seconds):
        deadline = time.monotonic() + seconds
        while not condition():
            if self.process.poll() is not None:
                raise Trouble("the load has ended before its time")
            if time.monotonic() > deadline:
                raise Trouble(f"after {seconds} s {what}")
            time.sleep(0.1)

    def await_done(self, commands):
        self.await_true(lambda: self.done >= commands, f"the load has not done {commands} commands", LOAD_SECONDS)

    def await_seen(self, since):
        self.await_true(
            lambda: self.seen_since_us >= since, "not every service shows what is written", RECOVERY_SECONDS
        )

    def finish(self):
        self.process.stdin.close()
        if self.process.wait(timeout=600) != 0:
            raise Trouble("the load failed")
        self.listener.join()
