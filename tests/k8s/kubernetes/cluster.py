"""A cluster of Kubernetes on this machine: a control plane and nodes, each in a network namespace; no daemon, no registry."""
import os
import pathlib
import sys

from addons import IMAGE, INGRESS_IMAGE, ingress, names, volumes
from control_plane import ControlPlane
from machine import CGROUP, CONTROL_PLANE, Trouble, clear_away, make_bridge, make_cgroups, namespaces, run
from machine import set_in_namespace
from node import SANDBOX_IMAGE, Node
from programs import KUBERNETES, build

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from images import BASE, Images

VOLUMES = 40


class Cluster:
    def __init__(self, folder, programs_folder, nodes):
        self.folder = folder
        self.programs_folder = programs_folder
        wanted = [*KUBERNETES, "coredns", "kube-router", "contour", "contour.yaml", "envoy"]
        self.programs = {name: programs_folder / name for name in wanted}
        self.control_plane = ControlPlane(folder / "control-plane", self.programs)
        self.nodes = [Node(folder, number, self.control_plane) for number in range(1, nodes + 1)]
        self.kubectl = self.control_plane.kubectl

    def up(self, say):
        if self.folder.exists():
            raise Trouble(f"there is one already in {self.folder}")
        build(self.programs_folder, list(self.programs))
        say("the programs are built")
        self.folder.mkdir(parents=True)
        (self.folder / "namespaces").write_text("\n".join(namespaces()), encoding="utf-8")
        archives = self.make_images()
        say("the images of the cluster are made")
        make_bridge()
        set_in_namespace(CONTROL_PLANE, net__ipv4__ip_forward=1)
        make_cgroups(CGROUP)
        self.control_plane.start()
        say("the API server is ready")
        for node in self.nodes:
            node.start(archives)
            run("ip", "-n", CONTROL_PLANE, "route", "replace", node.pods, "via", node.address)
        for node in self.nodes:
            node.routes_to(self.nodes)
        self.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=180s")
        self.control_plane.apply(*names(min(2, len(self.nodes))), *volumes(self.folder / "volumes", VOLUMES))
        self.kubectl("-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=180s")
        self.kubectl("apply", "-f", "-", input=ingress(self.programs["contour.yaml"].read_text(encoding="utf-8")))
        for part in ("deployment/contour", "daemonset/envoy"):
            self.kubectl("-n", "projectcontour", "rollout", "status", part, "--timeout=180s", timeout=200)
        say(f"{len(self.nodes)} nodes are ready")

    def down(self):
        if self.folder.exists():
            clear_away(self.folder)

    # --- images ---------------------------------------------------------------------------------------

    def images(self):
        images = Images(self.programs_folder / "images")
        images.make_base()
        return images

    def make_images(self):
        """Of the sandbox of each pod, and of the addons."""
        images = self.images()
        kept = self.programs_folder / "archives"
        kept.mkdir(exist_ok=True)
        pause, addons, controller = (kept / f"{name}.tar" for name in ("pause", "addons", "ingress"))
        if not pause.exists():
            container = images.buildah("from", "--pull-never", BASE).stdout.strip()
            images.buildah("config", "--cmd", '["/bin/sleep", "infinity"]', container)
            images.buildah("commit", "--quiet", "--rm", container, SANDBOX_IMAGE)
            images.archive(SANDBOX_IMAGE, pause)
        for archive, tag, names_of_programs in ((addons, IMAGE, ["coredns"]), (controller, INGRESS_IMAGE, ["contour", "envoy"])):
            if not archive.exists():
                container = images.buildah("from", "--pull-never", BASE).stdout.strip()
                images.buildah("copy", "--quiet", container, *(self.programs[name] for name in names_of_programs), "/usr/bin/")
                images.buildah("commit", "--quiet", "--rm", container, tag)
                images.archive(tag, archive)
        return [pause, addons, controller]

    def bring(self, images, tag):
        """An image to every node."""
        archive = self.programs_folder / "archives/image.tar"
        images.archive(tag, archive)
        for node in self.nodes:
            node.import_image(archive)
        archive.unlink()

    # --- what tests ask ---------------------------------------------------------------------------------

    def inside(self):
        """The words that run a command where addresses of pods and Services are reached."""
        return ["nsenter", f"--net=/run/netns/{CONTROL_PLANE}"]

    def node_of(self, pod, namespace):
        name = self.kubectl("-n", namespace, "get", "pod", pod, "-o", "jsonpath={.spec.nodeName}").stdout
        return next(node for node in self.nodes if node.name == name)


def default_folder():
    return pathlib.Path(os.environ.get("TIDELINE_CLUSTER", "/var/tmp/tideline-cluster"))


def nodes_of(folder):
    """How many the cluster has that is there."""
    return len([path for path in folder.glob("node-*") if path.is_dir()])
