"""Processes, network namespaces and folders of a cluster on one machine. Everything lies below one folder and can be
cleared away by it, also by another process than the one that made it."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

BRIDGE = "tideline"
CONTROL_PLANE = "tideline-control-plane"
CONTROL_PLANE_ADDRESS = "10.90.0.1"
POD_NETWORK = "10.91.0.0/16"
SERVICE_NETWORK = "10.92.0.0/16"
DNS_ADDRESS = "10.92.0.10"
CGROUP = "tideline-cluster"
DEADLINE_SECONDS = 180


class Trouble(Exception):
    """A part of the cluster does not come up or does not answer."""


def run(*command, check=True, timeout=DEADLINE_SECONDS, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=timeout, **more)
    if check and done.returncode != 0:
        raise Trouble(f"{' '.join(map(str, command[:6]))}: {done.stderr.strip() or done.stdout.strip()}")
    return done


def until(what, condition, seconds=DEADLINE_SECONDS):
    """The first true answer of `condition`."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise Trouble(f"not within {seconds} s: {what}")
        time.sleep(0.1)
    return found


def start_time(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except OSError:
        return None


class Process:
    """A program in a network namespace, known by a file with its process id and the time of its start."""

    def __init__(self, folder, name, namespace):
        self.name = name
        self.namespace = namespace
        self.file = folder / f"{name}.pid"
        self.log = folder / f"{name}.log"

    def pid(self):
        if not self.file.exists():
            return None
        pid, started = self.file.read_text(encoding="utf-8").split()
        return int(pid) if start_time(pid) == started else None

    def start(self, *command, env=None):
        with open(self.log, "ab") as log:
            # Not `ip netns exec`, which gives a mount namespace as well: what one program mounts the others must see.
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["nsenter", f"--net=/run/netns/{self.namespace}", *map(str, command)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, env={**os.environ, **(env or {})})
        self.file.write_text(f"{process.pid} {start_time(process.pid)}\n", encoding="utf-8")

    def stop(self):
        if pid := self.pid():
            os.kill(pid, signal.SIGKILL)
            until(f"{self.name} has ended", lambda: self.pid() is None or zombie(pid))
        self.file.unlink(missing_ok=True)


def zombie(pid):
    """Ended, with all of its threads, though nobody has asked how."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1
    except OSError:
        return True


# --- networks ----------------------------------------------------------------------------------------------

def make_bridge():
    run("ip", "netns", "add", CONTROL_PLANE)
    inside = ("ip", "-n", CONTROL_PLANE)
    run(*inside, "link", "set", "lo", "up")
    run(*inside, "link", "add", BRIDGE, "type", "bridge")
    run(*inside, "address", "add", f"{CONTROL_PLANE_ADDRESS}/24", "dev", BRIDGE)
    run(*inside, "link", "set", BRIDGE, "up")
    # Addresses of Services are replaced on their way out, but only on a way that there is.
    run(*inside, "route", "add", SERVICE_NETWORK, "dev", BRIDGE)


def join_bridge(namespace, address, number):
    """A namespace with a way to the bridge; again where the way was cut."""
    run("ip", "netns", "add", namespace, check=False)
    own, other = f"tl-node-{number}", f"tl-bridge-{number}"
    run("ip", "-n", CONTROL_PLANE, "link", "delete", other, check=False)
    run("ip", "-n", CONTROL_PLANE, "link", "add", other, "type", "veth", "peer", "name", own, "netns", namespace)
    run("ip", "-n", CONTROL_PLANE, "link", "set", other, "master", BRIDGE, "up")
    run("ip", "-n", namespace, "link", "set", "lo", "up")
    run("ip", "-n", namespace, "address", "add", f"{address}/24", "dev", own)
    run("ip", "-n", namespace, "link", "set", own, "up")
    run("ip", "-n", namespace, "route", "replace", "default", "via", CONTROL_PLANE_ADDRESS)


def cut_off(number):
    """As if the cable were pulled."""
    run("ip", "-n", CONTROL_PLANE, "link", "set", f"tl-bridge-{number}", "down")


def plug_in(number):
    run("ip", "-n", CONTROL_PLANE, "link", "set", f"tl-bridge-{number}", "up")


def set_in_namespace(namespace, **settings):
    for name, value in settings.items():
        run("nsenter", f"--net=/run/netns/{namespace}", "sysctl", "-q", "-w", f"{name.replace('__', '.')}={value}")


# --- clearing away ----------------------------------------------------------------------------------------

def cgroup_folders(name):
    return [path for path in pathlib.Path("/sys/fs/cgroup").glob(f"*/{name}") if path.is_dir()]


def make_cgroups(name):
    for controller in pathlib.Path("/sys/fs/cgroup").iterdir():
        if (controller / "cgroup.procs").exists():
            (controller / name).mkdir(parents=True, exist_ok=True)
            if controller.name == "cpuset":
                # A new one has none, and can hold nothing.
                for part in [*reversed(pathlib.Path(name).parents[:-1]), name]:
                    for file in ("cpuset.cpus", "cpuset.mems"):
                        (controller / part / file).write_text((controller / file).read_text(encoding="utf-8"), encoding="utf-8")


def processes_of(cgroup):
    """`cgroup`: a pattern of folders."""
    return {int(pid) for folder in cgroup_folders(cgroup) for file in folder.rglob("cgroup.procs")
            for pid in file.read_text(encoding="utf-8").split()}


def kill_cgroup(cgroup):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while pids := {pid for pid in processes_of(cgroup) if not zombie(pid)}:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if time.monotonic() > deadline:
            raise Trouble(f"processes that do not end: {pids}")
        time.sleep(0.05)
    for top in cgroup_folders(cgroup):
        for folder in sorted((path for path in [top, *top.rglob("*")] if path.is_dir()), key=lambda path: -len(path.parts)):
            try:
                folder.rmdir()
            except OSError:
                pass


def mounts_below(folder):
    lines = pathlib.Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    points = [line.split()[4].encode().decode("unicode_escape") for line in lines]
    return [point for point in reversed(points) if pathlib.Path(point).is_relative_to(folder)]


def namespaces():
    folder = pathlib.Path("/run/netns")
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def clear_away(folder):
    """Ends every process of a cluster and takes away what it has left, its folder last."""
    # Kubelets first: they would start containers anew. Then what containerd keeps runs in cgroups of ours.
    files = sorted(folder.glob("*/*.pid"), key=lambda file: (not file.name.startswith("kubelet"), str(file)))
    for file in files:
        Process(file.parent, file.stem, "").stop()
    for pid in shims_of(folder):
        os.kill(pid, signal.SIGKILL)
    kill_cgroup(CGROUP)
    for point in mounts_below(folder):
        run("umount", "-l", point, check=False)
    known = folder / "namespaces"
    before = set(known.read_text(encoding="utf-8").split()) if known.exists() else namespaces()
    for name in namespaces() - before:
        run("ip", "netns", "delete", name, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def shims_of(folder):
    for process in pathlib.Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"containerd-shim" in words[0] and str(folder).encode() in b" ".join(words):
                yield int(process.name)
