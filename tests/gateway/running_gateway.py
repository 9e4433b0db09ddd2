"""The gateway's configuration under a real HAProxy, and a key pair whose tokens it accepts."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry
from ports import free_ports

CONFIGURATION = pathlib.Path(__file__).resolve().parents[2] / "deploy/gateway/haproxy.cfg"
SERVICES = [service.identifier.upper() for service in registry.read()]


class RunningGateway:
    """`addresses`: host:port of each service, where names do not tell. `settings`: more of the environment. Ready when it
    is there."""

    def __init__(self, addresses, **settings):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tideline-gateway-"))
        for name in ("current", "stranger"):
            self.make_key(name)
        self.port, self.operations_port = free_ports(2)
        environment = dict(
            os.environ,
            TIDELINE_GATEWAY_BIND=f"127.0.0.1:{self.port}",
            TIDELINE_GATEWAY_METRICS_BIND=f"127.0.0.1:{self.operations_port}",
            TIDELINE_JWT_KID="current",
            TIDELINE_JWT_KEY=str(self.folder / "current.pem"),
            **{f"TIDELINE_{service}": address for service, address in addresses.items()},
            **settings,
        )
        self.log = open(self.folder / "log", "wb")
        self.haproxy = subprocess.Popen(
            ["haproxy", "-db", "-f", str(CONFIGURATION)], env=environment, stdout=self.log, stderr=self.log
        )
        self.await_services()

    def close(self):
        self.haproxy.terminate()
        self.haproxy.wait(timeout=15)
        self.log.close()
        shutil.rmtree(self.folder)

    def make_key(self, name):
        key = self.folder / f"{name}.key"
        subprocess.run(
            ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key], check=True
        )
        subprocess.run(
            ["openssl", "ec", "-in", key, "-pubout", "-out", self.folder / f"{name}.pem"],
            check=True,
            stderr=subprocess.DEVNULL,
        )

    def await_services(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.haproxy.poll() is not None:
                break
            try:
                ready = f"http://127.0.0.1:{self.operations_port}/readyz"
                with urllib.request.urlopen(ready, timeout=10) as answer:
                    if all(json.load(answer)["services"].values()):
                        return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError("no gateway: " + (self.folder / "log").read_text())
