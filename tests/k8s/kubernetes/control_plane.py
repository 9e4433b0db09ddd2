"""etcd, the API server, the controllers and the scheduler, in a network namespace of their own."""
import base64
import json
import pathlib
import sys

from machine import CONTROL_PLANE, CONTROL_PLANE_ADDRESS, POD_NETWORK, SERVICE_NETWORK, Process, run, until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from authority import Authority

SERVER = f"https://{CONTROL_PLANE_ADDRESS}:6443"
FIRST_SERVICE = "10.92.0.1"
# Who may do what: the names that Kubernetes' own roles are bound to.
CLIENTS = {
    "admin": "/O=system:masters/CN=admin",
    "kube-controller-manager": "/CN=system:kube-controller-manager",
    "kube-scheduler": "/CN=system:kube-scheduler",
    "kube-proxy": "/CN=system:kube-proxy",
}


class ControlPlane:
    def __init__(self, folder, programs):
        self.folder = folder
        self.programs = programs
        self.tls = folder / "tls"

    def start(self):
        self.folder.mkdir()
        self.make_certificates()
        self.start_etcd()
        self.start_api_server()
        self.start_controllers()

    def process(self, name):
        return Process(self.folder, name, CONTROL_PLANE)

    def make_certificates(self):
        self.authority = Authority(self.tls, owner="root")
        names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost"]
        self.authority.certify("server", *(f"DNS:{name}" for name in names), f"IP:{CONTROL_PLANE_ADDRESS}",
                               f"IP:{FIRST_SERVICE}", "IP:127.0.0.1")
        self.authority.certify("kubelet-client", subject="/O=system:masters/CN=kube-apiserver")
        for name, subject in CLIENTS.items():
            self.client(name, subject)
        # The API server speaks for others to servers that have a part of the API.
        Authority(self.tls / "front-proxy", owner="root").certify("client", subject="/CN=front-proxy-client")
        run("openssl", "genrsa", "-out", self.tls / "accounts.key", "2048")
        run("openssl", "rsa", "-in", self.tls / "accounts.key", "-pubout", "-out", self.tls / "accounts.pub")

    def client(self, name, subject):
        """A kubeconfig of somebody."""
        certificate, key = self.authority.certify(name, subject=subject)
        inline = {kind: base64.b64encode(pathlib.Path(file).read_bytes()).decode()
                  for kind, file in (("ca", self.authority.certificate), ("crt", certificate), ("key", key))}
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "cluster",
            "clusters": [{"name": "cluster", "cluster": {"server": SERVER, "certificate-authority-data": inline["ca"]}}],
            "users": [{"name": name, "user": {"client-certificate-data": inline["crt"], "client-key-data": inline["key"]}}],
            "contexts": [{"name": "cluster", "context": {"cluster": "cluster", "user": name}}],
        }
        file = self.folder / f"{name}.kubeconfig"
        file.write_text(json.dumps(config), encoding="utf-8")
        return file

    def kubeconfig(self, name):
        return self.folder / f"{name}.kubeconfig"

    def start_etcd(self):
        self.process("etcd").start("etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", "http://127.0.0.1:2379",
                                   "--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380",
                                   "--unsafe-no-fsync")

    def start_api_server(self):
        tls = self.tls
        self.process("kube-apiserver").start(
            self.programs["kube-apiserver"], "--etcd-servers=http://127.0.0.1:2379", "--secure-port=6443",
            f"--advertise-address={CONTROL_PLANE_ADDRESS}", f"--service-cluster-ip-range={SERVICE_NETWORK}",
            f"--tls-cert-file={tls}/server.pem", f"--tls-private-key-file={tls}/server.key", f"--client-ca-file={tls}/ca.pem",
            f"--kubelet-client-certificate={tls}/kubelet-client.pem", f"--kubelet-client-key={tls}/kubelet-client.key",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={tls}/accounts.pub",
            f"--service-account-signing-key-file={tls}/accounts.key", "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction", "--kubelet-preferred-address-types=InternalIP", "--allow-privileged=true", "--endpoint-reconciler-type=lease",
            f"--requestheader-client-ca-file={tls}/front-proxy/ca.pem", "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-", f"--proxy-client-cert-file={tls}/front-proxy/client.pem",
            f"--proxy-client-key-file={tls}/front-proxy/client.key")
        until("the API server is ready", lambda: self.kubectl("get", "--raw", "/readyz", check=False).returncode == 0)

    def start_controllers(self):
        tls = self.tls
        self.process("kube-controller-manager").start(
            self.programs["kube-controller-manager"], f"--kubeconfig={self.kubeconfig('kube-controller-manager')}",
            "--use-service-account-credentials=true", f"--service-account-private-key-file={tls}/accounts.key",
            f"--root-ca-file={tls}/ca.pem", f"--cluster-cidr={POD_NETWORK}", "--allocate-node-cidrs=false", "--leader-elect=false",
            "--node-monitor-grace-period=20s")
        self.process("kube-scheduler").start(
            self.programs["kube-scheduler"], f"--kubeconfig={self.kubeconfig('kube-scheduler')}", "--leader-elect=false")
        # Service addresses are answered to who asks from here, as on each node.
        self.process("kube-proxy").start(*kube_proxy(self, "control-plane", CONTROL_PLANE_ADDRESS))

    def kubectl(self, *words, check=True, **more):
        return run("nsenter", f"--net=/run/netns/{CONTROL_PLANE}", self.programs["kubectl"],
                   f"--kubeconfig={self.kubeconfig('admin')}", *words, check=check, **more)

    def apply(self, *resources):
        """Resources as dictionaries."""
        self.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(resources)}))


def kube_proxy(control_plane, name, address):
    # Without CAP_SYS_RESOURCE and with a conntrack that belongs to the machine, some settings are left alone.
    return [control_plane.programs["kube-proxy"], f"--kubeconfig={control_plane.kubeconfig('kube-proxy')}", f"--hostname-override={name}",
            f"--bind-address={address}", "--proxy-mode=nftables", f"--cluster-cidr={POD_NETWORK}", "--oom-score-adj=0",
            "--conntrack-max-per-core=0", "--conntrack-min=0", "--conntrack-tcp-timeout-established=0s",
            "--conntrack-tcp-timeout-close-wait=0s", "--conntrack-udp-timeout=0s", "--conntrack-udp-timeout-stream=0s"]
