"""tests/k8s/cluster says what for."""
import argparse
import os
import pathlib
import subprocess
import sys
import time

from cluster import Cluster, default_folder, nodes_of
from machine import Trouble

ROOT = pathlib.Path(__file__).resolve().parents[3]
STARTED = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", file=sys.stderr, flush=True)


def build_release(built):
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", built, "-j", "2", "--target", "tideline_suite"], cwd=ROOT, check=True, stdout=sys.stderr)


def bring_images(cluster, built):
    images = cluster.images()
    images.stores("localhost/tideline-stores:dev")
    cluster.bring(images, "localhost/tideline-stores:dev")
    say("the stores' image is on the nodes")
    images.tideline(built, "localhost/tideline:dev")
    cluster.bring(images, "localhost/tideline:dev")
    say("Tideline's image is on the nodes")


def main():
    parser = argparse.ArgumentParser(prog="tests/k8s/cluster")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("up").add_argument("--nodes", type=int, default=3)
    commands.add_parser("images").add_argument("--built", type=pathlib.Path)
    commands.add_parser("kubectl")
    commands.add_parser("down")
    # What follows kubectl is its own.
    words = sys.argv[2:] if sys.argv[1:2] == ["kubectl"] else []
    options = parser.parse_args(sys.argv[1:2] if words else None)
    folder = default_folder()
    cluster = Cluster(folder, ROOT / "build/k8s", options.nodes if options.command == "up" else nodes_of(folder))
    try:
        if options.command == "up":
            cluster.up(say)
        elif options.command == "images":
            built = options.built or ROOT / "build/release"
            if not options.built:
                build_release(built)
            bring_images(cluster, built)
        elif options.command == "down":
            cluster.down()
        else:
            command = [*cluster.inside(), cluster.programs["kubectl"], f"--kubeconfig={cluster.control_plane.kubeconfig('admin')}"]
            os.execvp(command[0], [str(word) for word in (*command, *words)])
    except (Trouble, subprocess.SubprocessError, RuntimeError) as trouble:
        print(f"{type(trouble).__name__}: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
