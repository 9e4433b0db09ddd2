"""What services/registry.txt says of the services."""
import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Service:
    name: str
    port: int
    snapshots: bool
    routes: tuple[str, ...]

    @property
    def identifier(self):
        """As databases, roles, namespaces and HAProxy's backends are called."""
        return self.name.replace("-", "_")

    @property
    def variable(self):
        """The environment variable that has its address."""
        return f"TIDELINE_{self.identifier.upper()}"


def read(root=ROOT):
    rows = []
    for line in (root / "services/registry.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, port, snapshots, routes = line.split()
        rows.append(Service(name, int(port), snapshots == "snapshots", tuple(routes.split(","))))
    return rows


def names(root=ROOT):
    return [service.name for service in read(root)]
