"""What can go wrong. Each fault is one function that does it, waits until it is over, and returns."""

import os
import random
import signal
import time

from installation import SERVICES, Trouble, ask_haproxy, run


class Faults:
    def __init__(self, installation, seed, gentle):
        self.home = installation
        self.random = random.Random(seed)
        # The short form has little time.
        self.freeze_seconds = (1, 4) if gentle else (1, 30)
        self.full_seconds = (2, 4) if gentle else (2, 15)
        self.kinds = {f"kill {part}": self.killing(part) for part in SERVICES + ["kafka", "postgres", "gateway"]}
        self.kinds |= {
            "kill a session of postgres": self.kill_backend,
            "freeze kafka": lambda: self.freeze("kafka"),
            "freeze postgres": lambda: self.freeze("postgres"),
            "terminate sessions of postgres": self.terminate_sessions,
            "cut connections to postgres": lambda: self.cut("postgres"),
            "cut connections to kafka": lambda: self.cut("kafka"),
            "cut connections of the gateway": self.cut_gateway,
        }
        if installation.own_disks:
            self.kinds["fill the disk of postgres"] = lambda: self.fill("postgres", "cluster")
            self.kinds["fill the disk of kafka"] = lambda: self.fill("kafka", "data")

    def draw(self, count, only):
        """So many kinds whose names hold `only`: all of them before any comes again."""
        kinds = sorted(kind for kind in self.kinds if only in kind)
        if not kinds:
            raise Trouble(f"no kind of fault is called '{only}'; there are: {', '.join(sorted(self.kinds))}")
        drawn = []
        while len(drawn) < count:
            round_of_all = list(kinds)
            self.random.shuffle(round_of_all)
            drawn += round_of_all
        return drawn[:count]

    def inject(self, kind):
        """Returns when the cause is gone: from then on it is for the suite to recover."""
        self.kinds[kind]()

    def killing(self, part):
        def kill():
            for pid in self.home.pids(part):
                send(pid, signal.SIGKILL)

        return kill

    def kill_backend(self):
        children = self.home.pids("postgres")[1:]
        if children:
            send(self.random.choice(children), signal.SIGKILL)

    def freeze(self, part):
        pids = self.home.pids(part)
        for pid in pids:
            send(pid, signal.SIGSTOP)
        time.sleep(self.random.uniform(*self.freeze_seconds))
        for pid in pids:
            send(pid, signal.SIGCONT)

    def terminate_sessions(self):
        sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'tideline_%'"
        run("psql", self.home.conninfo(), "-X", "-q", "-c", sql, check=False)

    def cut(self, store):
        ask_haproxy(self.home.home / "proxy.sock", f"shutdown sessions server {store}/{store}")

    def cut_gateway(self):
        for name in SERVICES:
            backend = name.replace("-", "_")
            try:
                ask_haproxy(self.home.home / "gateway/admin.sock", f"shutdown sessions server {backend}/{backend}")
            except OSError:
                return  # it is being started again after another fault

    def fill(self, part, folder):
        """No byte is free any more: the file system shrinks to what it holds."""
        disk = self.home.folder(part) / folder
        found = os.statvfs(disk)
        held = (found.f_blocks - found.f_bfree) * found.f_frsize
        whole = found.f_blocks * found.f_frsize
        # What is written between the two calls makes the first size impossible.
        while run("mount", "-o", f"remount,size={held + 65536}", disk, check=False).returncode != 0:
            found = os.statvfs(disk)
            held = (found.f_blocks - found.f_bfree) * found.f_frsize + 1048576
        time.sleep(self.random.uniform(*self.full_seconds))
        run("mount", "-o", f"remount,size={whole}", disk)


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
