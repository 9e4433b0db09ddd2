"""A node: containerd, kubelet, kube-proxy and kube-router in a network namespace of its own."""
import json

from control_plane import kube_proxy
from machine import CGROUP, DNS_ADDRESS, SERVICE_NETWORK, Process, Trouble, cut_off, join_bridge, kill_cgroup, make_cgroups
from machine import plug_in, processes_of, run, set_in_namespace, start_time, until

SANDBOX_IMAGE = "localhost/tideline-cluster:pause"
CONTAINERD = """version = 2
root = "{folder}/containerd"
state = "{folder}/state"
[grpc]
address = "{folder}/containerd.sock"
[ttrpc]
address = "{folder}/containerd.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{sandbox}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{folder}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
Root = "{folder}/runc"
"""


class Node:
    def __init__(self, folder, number, control_plane):
        self.number = number
        self.name = f"node-{number}"
        self.namespace = f"tideline-node-{number}"
        self.address = f"10.90.0.{10 + number}"
        self.pods = f"10.91.{number}.0/24"
        self.folder = folder / self.name
        self.cgroup = f"{CGROUP}/{self.name}"
        self.control_plane = control_plane

    def process(self, name):
        return Process(self.folder, name, self.namespace)

    def start(self, images):
        self.folder.mkdir()
        (self.folder / "cni").mkdir()
        (self.folder / "cni/10-bridge.conflist").write_text(json.dumps(self.network()), encoding="utf-8")
        (self.folder / "containerd.toml").write_text(CONTAINERD.format(folder=self.folder, sandbox=SANDBOX_IMAGE), encoding="utf-8")
        (self.folder / "resolv.conf").write_text(f"nameserver {DNS_ADDRESS}\n", encoding="utf-8")
        (self.folder / "kubelet.json").write_text(json.dumps(self.kubelet_settings()), encoding="utf-8")
        make_cgroups(self.cgroup)
        self.join()
        self.control_plane.client(f"kubelet-{self.number}", f"/O=system:nodes/CN=system:node:{self.name}")
        self.start_containerd()
        for image in images:
            self.import_image(image)
        self.start_kubelet()

    def join(self):
        join_bridge(self.namespace, self.address, self.number)
        set_in_namespace(self.namespace, net__ipv4__ip_forward=1)

    def network(self):
        return {"cniVersion": "0.4.0", "name": "pods", "plugins": [{
            "type": "bridge", "bridge": "pods", "isGateway": True, "ipMasq": False, "hairpinMode": True,
            "ipam": {"type": "host-local", "dataDir": str(self.folder / "addresses"), "ranges": [[{"subnet": self.pods}]],
                     "routes": [{"dst": "0.0.0.0/0"}]}}]}

    def kubelet_settings(self):
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": str(self.control_plane.tls / "ca.pem")}},
            "authorization": {"mode": "Webhook"}, "address": self.address, "healthzBindAddress": "127.0.0.1",
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.cgroup}", "failCgroupV1": False, "enforceNodeAllocatable": [],
            "clusterDNS": [DNS_ADDRESS], "clusterDomain": "cluster.local", "resolvConf": str(self.folder / "resolv.conf"),
            "containerRuntimeEndpoint": f"unix://{self.folder}/containerd.sock", "failSwapOn": False, "oomScoreAdj": 0,
            "registerWithTaints": [], "nodeStatusUpdateFrequency": "5s", "syncFrequency": "10s",
            "evictionHard": {"memory.available": "100Mi"}, "imageGCHighThresholdPercent": 100, "maxPods": 100,
            # Several kubelets on one machine: none of them changes what is the machine's.
            "protectKernelDefaults": False, "podLogsDir": str(self.folder / "pod-logs"),
        }

    def start_containerd(self):
        self.process("containerd").start("containerd", "--config", self.folder / "containerd.toml")
        until(f"containerd of {self.name} answers", lambda: self.ctr("version", check=False).returncode == 0)

    def ctr(self, *words, check=True):
        return run("ctr", "--address", self.folder / "containerd.sock", "--namespace", "k8s.io", *words, check=check, timeout=600)

    def import_image(self, archive):
        self.ctr("images", "import", archive)

    def run_kubelet(self):
        self.process("kubelet").start(
            self.control_plane.programs["kubelet"], f"--config={self.folder}/kubelet.json",
            f"--kubeconfig={self.control_plane.kubeconfig(f'kubelet-{self.number}')}", f"--hostname-override={self.name}",
            f"--node-ip={self.address}", f"--root-dir={self.folder}/kubelet", f"--cert-dir={self.folder}/kubelet-tls",
            f"--node-labels=topology.kubernetes.io/zone=zone-{self.number}")

    def start_kubelet(self):
        self.run_kubelet()
        kubectl = self.control_plane.kubectl
        until(f"{self.name} is registered", lambda: kubectl("get", "node", self.name, check=False).returncode == 0)
        kubectl("patch", "node", self.name, "--patch", json.dumps({"spec": {"podCIDR": self.pods, "podCIDRs": [self.pods]}}))
        self.process("kube-proxy").start(*kube_proxy(self.control_plane, self.name, self.address))
        # Network policies alone: routes are made here, and Services are kube-proxy's.
        self.process("kube-router").start(
            self.control_plane.programs["kube-router"], f"--kubeconfig={self.control_plane.kubeconfig('admin')}",
            f"--hostname-override={self.name}", "--run-firewall=true", "--run-router=false", "--run-service-proxy=false",
            f"--service-cluster-ip-range={SERVICE_NETWORK}", "--iptables-sync-period=30s", "--health-port=0",
            env={"NODE_NAME": self.name, "KUBE_ROUTER_CNI_CONF_FILE": str(self.folder / "cni/10-bridge.conflist")})

    def routes_to(self, others):
        for other in others:
            if other is not self:
                run("ip", "-n", self.namespace, "route", "replace", other.pods, "via", other.address)

    # --- faults ---------------------------------------------------------------------------------------

    def lose(self):
        """The machine is gone, without notice: cut off first, and then nothing of it runs. Returns when Kubernetes misses it."""
        cut_off(self.number)
        for name in ("kubelet", "containerd", "kube-proxy", "kube-router"):
            self.process(name).stop()
        kill_cgroup(self.cgroup)
        until(f"{self.name} is missed", lambda: not self.is_ready())

    def come_back(self):
        """Started again, with what is on its disk."""
        make_cgroups(self.cgroup)
        plug_in(self.number)
        self.start_containerd()
        self.start_kubelet()

        def ready():
            # A kubelet ends where containerd is still busy with what it finds, and something starts it again.
            if not self.process("kubelet").pid():
                self.run_kubelet()
            return self.is_ready()
        until(f"{self.name} is ready again", ready)

    def is_ready(self):
        """As Kubernetes sees it."""
        return "True" in self.control_plane.kubectl(
            "get", "node", self.name, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].status}").stdout

    def pids_of(self, pod_uid):
        """The oldest first: it holds the pod's network for as long as the pod is there."""
        started = {pid: start_time(pid) for pid in processes_of(f"{self.cgroup}/kubepods/**/pod{pod_uid}")}
        pids = sorted((pid for pid, at in started.items() if at), key=lambda pid: int(started[pid]))
        if not pids:
            raise Trouble(f"no process of pod {pod_uid} on {self.name}")
        return pids
