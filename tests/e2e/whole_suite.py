"""The whole suite behind its gateway, for the tests beside this file: on ports of its own, without its limits on how
often one address and one account may ask, for every request comes from this machine."""
import os
import pathlib
import subprocess
import sys

from parts import Service, fail, free_ports, position_of, registration

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry

ROOT = registry.ROOT


class WholeSuite:
    def __init__(self, home):
        parts = ["gateway", "gateway_metrics", "kafka", "kafka_controller", "postgres"]
        parts += [service.identifier for service in registry.read()]
        ports = dict(zip(parts, free_ports(len(parts))))
        self.home = home
        self.gateway = Service(ports["gateway"])
        limits = dict.fromkeys(["RATE_ACCOUNT", "RATE_ANONYMOUS", "REGISTRATIONS_PER_SOURCE"], "1000000")
        ours = {**{f"{name.upper()}_PORT": str(port) for name, port in ports.items()}, **limits,
                "HOME": home, "OPERATOR_SECOND_FACTOR": "offered"}
        self.environment = {**os.environ, **{f"TIDELINE_{name}": value for name, value in ours.items()}}
        for other in ("TIDELINE_PG", "TIDELINE_KAFKA"):
            self.environment.pop(other, None)

    def start(self, build, *options):
        done = self.run(build, *options)
        if done.returncode != 0:
            fail(f"deploy/run\n{done.stdout}{done.stderr}")

    def run(self, build, *options):
        command = [ROOT / "deploy/run", "--built", build, "--no-demo", *options]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def stop(self):
        subprocess.run([ROOT / "deploy/stop"], env=self.environment, capture_output=True, check=False)

    def register(self, user):
        """The access token, and a token of the position at which the suite knows the account."""
        headers, answer = self.gateway.expect(201, "POST", "/v1/accounts", None, registration(user))
        return answer["session"]["access_token"], position_of(headers)

    def operate(self, *words, told=None):
        """A subcommand of a service, and what it reads."""
        return subprocess.run([ROOT / "deploy/operate", *words], env=self.environment, capture_output=True, text=True,
                              input=told, check=False)

    def make_operators(self, *users):
        """From their next sign-in on."""
        self.give_role("operator", *users)

    def give_role(self, role, *users):
        done = self.operate("accounts", "roles", "give", role, *users)
        if done.returncode != 0:
            fail(f"{users} have not the role {role}\n{done.stdout}{done.stderr}")
