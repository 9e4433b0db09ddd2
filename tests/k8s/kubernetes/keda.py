"""KEDA on a cluster: its operator and its metrics server, by its authors' manifests. Whoever changes a ScaledObject that is not
valid is not told so: there is no webhook."""
import json
import os

from programs import build

IMAGE = "localhost/tideline-cluster:keda"
NAMESPACE = "keda"
USER = "65532:65532"


def make_image(images, programs):
    if images.has(IMAGE):
        return
    container = images.buildah("from", "scratch").stdout.strip()
    images.buildah("copy", "--quiet", container, programs["keda"], programs["keda-adapter"], "/")
    images.buildah("config", "--user", USER, container)
    images.buildah("commit", "--quiet", "--rm", container, IMAGE)


def overlay(manifests, search):
    """`search`: namespaces whose Services KEDA knows by their short names."""
    name, tag = IMAGE.split(":")
    pod = "/spec/template/spec"
    both = [{"op": "replace", "path": f"{pod}/containers/0/imagePullPolicy", "value": "Never"}]
    operator = [{"op": "add", "path": f"{pod}/containers/0/args/-", "value": "--enable-webhook-patching=false"},
                {"op": "add", "path": f"{pod}/dnsConfig", "value": {"searches": [f"{one}.svc.cluster.local" for one in search]}}]
    return {
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": [manifests],
        "images": [{"name": f"ghcr.io/kedacore/{part}", "newName": name, "newTag": tag} for part in ("keda", "keda-metrics-apiserver")],
        "patches": [{"target": {"kind": "Deployment"}, "patch": json.dumps(both)},
                    {"target": {"kind": "Deployment", "name": "keda-operator"}, "patch": json.dumps(operator)}],
    }


def install(cluster, search=()):
    programs = build(cluster.programs_folder, ["keda", "keda-adapter", "keda-manifests"])
    images = cluster.images()
    make_image(images, programs)
    cluster.bring(images, IMAGE)
    folder = cluster.folder / "keda"
    folder.mkdir(exist_ok=True)
    manifests = os.path.relpath(programs["keda-manifests"] / "minimal", folder)
    (folder / "kustomization.yaml").write_text(json.dumps(overlay(manifests, search)), encoding="utf-8")
    # Its definitions are larger than what `kubectl apply` keeps of them otherwise.
    cluster.kubectl("apply", "--server-side", "-k", folder)
    for part in ("keda-operator", "keda-metrics-apiserver"):
        cluster.kubectl("-n", NAMESPACE, "rollout", "status", f"deployment/{part}", "--timeout=300s", timeout=330)
    cluster.kubectl("wait", "--for=condition=Available", "apiservice/v1beta1.external.metrics.k8s.io", "--timeout=120s")
