"""What a cluster has besides Kubernetes: names, volumes that any node can mount, and a controller of ingresses."""
import re

from machine import DNS_ADDRESS

IMAGE = "localhost/tideline-cluster:addons"
INGRESS_IMAGE = "localhost/tideline-cluster:ingress"
COREFILE = """.:53 {
  errors
  ready
  health
  kubernetes cluster.local {
    ttl 1
  }
  cache 1
}
"""


def metadata(name, namespace=None, **more):
    return {"name": name, **({"namespace": namespace} if namespace else {}), **more}


def role(name, rules):
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(name, "kube-system")},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": metadata(name), "rules": rules},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": metadata(name),
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
         "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "kube-system"}]},
    ]


def names(replicas):
    """CoreDNS, as kube-dns: the label by which network policies know it."""
    labels = {"k8s-app": "kube-dns"}
    container = {
        "name": "coredns", "image": IMAGE, "imagePullPolicy": "Never", "command": ["coredns", "-conf", "/etc/coredns/Corefile"],
        "ports": [{"containerPort": 53, "protocol": "UDP", "name": "dns"}, {"containerPort": 53, "protocol": "TCP", "name": "dns-tcp"}],
        "volumeMounts": [{"name": "settings", "mountPath": "/etc/coredns"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 1},
    }
    spread = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
              "labelSelector": {"matchLabels": labels}}
    pod = {"serviceAccountName": "coredns", "dnsPolicy": "Default", "containers": [container], "topologySpreadConstraints": [spread],
           "volumes": [{"name": "settings", "configMap": {"name": "coredns"}}]}
    return [
        *role("coredns", [{"apiGroups": [""], "resources": ["services", "pods", "namespaces"], "verbs": ["list", "watch"]},
                          {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]}]),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("coredns", "kube-system"), "data": {"Corefile": COREFILE}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata("coredns", "kube-system"),
         "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}},
        {"apiVersion": "v1", "kind": "Service", "metadata": metadata("kube-dns", "kube-system"),
         "spec": {"clusterIP": DNS_ADDRESS, "selector": labels,
                  "ports": [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]}},
    ]


def volumes(folder, count):
    """A default class of volumes that no node owns, as those of a cloud: folders of this machine, which all nodes are on."""
    yield {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
           "metadata": metadata("shared", annotations={"storageclass.kubernetes.io/is-default-class": "true"}),
           "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    for number in range(count):
        place = folder / f"volume-{number}"
        place.mkdir(parents=True)
        # Kubernetes hands these to no group itself.
        place.chmod(0o777)
        yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata(f"volume-{number}"),
               "spec": {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "shared",
                        "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": str(place), "type": "Directory"}}}


def ingress(manifests):
    """Contour, as its authors' manifests say, but for where its images are from."""
    return re.sub(r"(?m)^( *image:) .*$", rf"\1 {INGRESS_IMAGE}", manifests)
