"""Images without a registry and without a daemon: by debootstrap and buildah, in a folder of their own."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = "localhost/debian:12-slim"
TIMEOUT_SECONDS = 1800


class CannotBuild(Exception):
    """Images cannot be made on this machine."""


class Images:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if os.getuid() != 0:
            raise CannotBuild("building needs root")
        for tool in ("buildah", "debootstrap"):
            if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"):
                raise CannotBuild(f"no {tool} at hand")

    def buildah(self, *words, check=True):
        done = subprocess.run(
            ["buildah", "--root", self.folder / "storage", "--runroot", self.folder / "run", "--storage-driver", "vfs", *map(str, words)],
            capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
        if check and done.returncode != 0:
            raise RuntimeError(f"buildah {' '.join(map(str, words[:4]))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done

    def has(self, tag):
        return self.buildah("inspect", "--type", "image", tag, check=False).returncode == 0

    def inside(self, container, *words):
        return self.buildah("run", "--isolation", "chroot", container, "--", *words)

    def make_base(self):
        """Debian 12, with this machine's package settings: whom it trusts for that, and where they come from."""
        if self.has(BASE):
            return
        tree = self.folder / "base"
        shutil.rmtree(tree, ignore_errors=True)
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", tree],
                              capture_output=True, text=True, check=False, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
        if done.returncode != 0:
            raise CannotBuild(f"debootstrap failed: {done.stdout.strip().splitlines()[-1:]}")
        for settings in ("etc/apt/apt.conf.d", "etc/apt/sources.list.d", "usr/local/share/ca-certificates"):
            shutil.copytree(f"/{settings}", tree / settings, dirs_exist_ok=True)
        subprocess.run(["chroot", tree, "update-ca-certificates"], capture_output=True, check=True)
        container = self.buildah("from", "scratch").stdout.strip()
        self.buildah("copy", "--quiet", container, tree, "/")
        tried = self.buildah("run", "--isolation", "chroot", container, "--", "true", check=False)
        if tried.returncode != 0:
            raise CannotBuild(f"containers cannot run here: {tried.stderr.strip().splitlines()[-1:]}")
        self.buildah("commit", "--quiet", "--rm", container, BASE)
        shutil.rmtree(tree)

    def pack(self, tag, folder, target):
        """An image of nothing but a folder, in place of a stage that would make its content again."""
        container = self.buildah("from", "scratch").stdout.strip()
        self.buildah("copy", "--quiet", container, folder, target)
        self.buildah("commit", "--quiet", "--rm", container, tag)

    def build(self, tag, containerfile, **arguments):
        words = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
        self.buildah("bud", "--isolation", "chroot", "--pull-never", "--quiet", *words, "-f", containerfile, "-t", tag, ROOT)

    def archive(self, tag, file):
        """Also drops what no tag names any more: the folder would grow by a gigabyte a run."""
        file.unlink(missing_ok=True)
        self.buildah("push", "--quiet", tag, f"docker-archive:{file}:{tag}")
        self.buildah("rm", "--all", check=False)
        self.buildah("rmi", "--prune", check=False)

    def clear(self):
        self.buildah("rm", "--all", check=False)

    # --- Tideline's -----------------------------------------------------------------------------------

    def tideline(self, built, tag):
        """deploy/Containerfile around the programs of a build tree."""
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        for name in [f"tideline-{service}" for service in registry.names()] + ["tideline-demo"]:
            found = [path for path in built.rglob(name) if path.is_file() and os.access(path, os.X_OK) and not path.is_relative_to(self.folder)]
            if not found:
                raise RuntimeError(f"{name} is not built in {built}")
            subprocess.run(["strip", "-o", out / name, found[0]], check=True)
        self.pack("localhost/tideline-programs:test", out, "/out")
        shutil.rmtree(out)
        self.build(tag, ROOT / "deploy/Containerfile", BINARIES="localhost/tideline-programs:test")

    def stores(self, tag):
        """k8s/stores/image around the jars that deploy/kafka/resolve has brought."""
        jars = subprocess.run([ROOT / "deploy/kafka/resolve"], capture_output=True, text=True, check=True).stdout.strip()
        self.pack("localhost/kafka-jars:test", jars, "/jars")
        self.build(tag, ROOT / "k8s/stores/image/Containerfile", JARS="localhost/kafka-jars:test")
