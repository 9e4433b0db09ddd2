"""What k8s/overlays/production gives to operators: valid for their releases, and it fits what the parts expect."""
import copy
import fnmatch
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

import manifests_test as manifests

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "operators"))
import definitions

ROOT = manifests.ROOT
FIXTURES = ROOT / "tests/k8s/bad_fixture/operators"


@functools.cache
def production():
    return manifests.overlay("production")


def of_kind(*kinds):
    return [one for one in production() if one["kind"] in kinds]


def named(kind, name):
    return [one for one in of_kind(kind) if one["metadata"]["name"] == name][0]


def of_operators(resources):
    return [one for one in resources if not manifests.of_kubernetes(one)]


def key_of(resource):
    return f"{resource['kind']}-{resource['metadata']['name']}"


def errors_of(resources):
    """By kind and name, what an API server with the operators' definitions would say, rules beside the schemas included."""
    with tempfile.TemporaryDirectory(prefix="tideline-resources-") as folder:
        for one in resources:
            (pathlib.Path(folder) / f"{key_of(one)}.yaml").write_text(yaml.safe_dump(one), encoding="utf-8")
        done = subprocess.run(
            [manifests.PROGRAMS / "kubectl-validate", folder, "--local-crds", manifests.PROGRAMS / "definitions", "-o", "json"],
            capture_output=True, text=True, check=False)
    answers = json.loads(done.stdout)
    assert len(answers) == len(resources), done.stdout
    said = {pathlib.Path(path).stem: answer for path, answer in answers.items()}
    return {name: answer[0]["message"] for name, answer in said.items() if answer[0]["status"] != "Success"}


def granted_by_operator():
    for user in of_kind("KafkaUser"):
        for acl in user["spec"]["authorization"]["acls"]:
            resource = acl["resource"]
            for operation in acl["operations"]:
                yield user["metadata"]["name"], operation, resource["type"], resource["name"], resource["patternType"]


def granted_by_script():
    """What deploy/kafka/grant tells Kafka's tool, which is not started."""
    with tempfile.TemporaryDirectory(prefix="tideline-grant-") as folder:
        place = pathlib.Path(folder)
        (place / ".complete").touch()
        (place / "java").write_text(f'#!/bin/sh\necho "$@" >> {place}/said\n', encoding="utf-8")
        (place / "java").chmod(0o755)
        subprocess.run([ROOT / "deploy/kafka/grant", "--bootstrap-server", "none:1", "--command-config", "/dev/null"], check=True,
                       capture_output=True, env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}", "TIDELINE_KAFKA_JARS": folder})
        lines = (place / "said").read_text(encoding="utf-8").splitlines()
    for line in lines:
        def words(option, line=line):
            return re.findall(rf"--{option} (\S+)", line)
        pattern = {"prefixed": "prefix"}[words("resource-pattern-type")[0]] if words("resource-pattern-type") else "literal"
        for user in words("allow-principal"):
            for operation in words("operation"):
                for kind in ("topic", "group"):
                    for name in words(kind):
                        yield user.removeprefix("User:"), operation, kind, name, pattern


def settings_in(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "=" in line and not line.startswith("#")]
    return {key.strip(): value.strip() for key, value in (line.split("=", 1) for line in lines)}


def certificate(name):
    return named("Certificate", name)["spec"]


def vouches(name, host):
    return any(fnmatch.fnmatch(host, pattern) for pattern in certificate(name)["dnsNames"])


def url_of(service):
    text = named("ExternalSecret", f"{service}-database")["spec"]["target"]["template"]["data"]["url"]
    return dict(word.split("=", 1) for word in text.replace("{{ .password }}", "PASSWORD").split())


class Valid(unittest.TestCase):
    def test_for_their_operators(self):
        resources = of_operators(production())
        groups = {one["apiVersion"].split("/")[0] for one in resources}
        self.assertEqual(len({group.removeprefix("generators.") for group in groups}), len(definitions.VERSIONS), groups)
        self.assertEqual(errors_of(resources), {})

    def test_invalid_ones_are_noticed(self):
        broken = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FIXTURES.glob("*.yaml"))]
        self.assertGreater(len(broken), len(definitions.VERSIONS))
        for one in broken:
            self.assertEqual(list(errors_of([one])), [key_of(one)])

    def test_an_unknown_field_of_any_kind_is_noticed(self):
        spoiled = {}
        for one in of_operators(production()):
            spoiled[one["kind"]] = copy.deepcopy(one)
            spoiled[one["kind"]]["spec"]["misspelt"] = True
        found = errors_of(spoiled.values())
        self.assertEqual(found.keys(), {key_of(one) for one in spoiled.values()})
        for message in found.values():
            self.assertIn("spec.misspelt", message)

    def test_versions_are_documented(self):
        page = (ROOT / "k8s/README.md").read_text(encoding="utf-8")
        for name, version in definitions.VERSIONS.items():
            self.assertIn(f"{name} {version}", page)


class Kafka(unittest.TestCase):
    def test_services_may_what_the_script_grants(self):
        by_operator = {one for one in granted_by_operator() if one[0] in manifests.SERVICES}
        self.assertEqual(by_operator, set(granted_by_script()))
        others = {one for one in granted_by_operator() if one not in by_operator}
        self.assertEqual({(name, operation) for name, operation, *_ in others}, {("keda", "Describe")})

    def test_nothing_is_lost_with_a_broker(self):
        kafka = named("Kafka", "tideline")["spec"]["kafka"]
        settings = manifests.settings_of(production(), "service-settings")
        replicas = {one["metadata"]["name"]: one["spec"]["replicas"] for one in of_kind("KafkaNodePool")}
        self.assertEqual(replicas["broker"], int(settings["TIDELINE_KAFKA_REPLICATION"]))
        self.assertGreaterEqual(replicas["controller"], 3)
        self.assertEqual((kafka["config"]["min.insync.replicas"], kafka["config"]["default.replication.factor"]), (2, 3))

    def test_brokers_are_set_as_elsewhere(self):
        config = named("Kafka", "tideline")["spec"]["kafka"]["config"]
        elsewhere = settings_in(ROOT / "deploy/kafka/common.properties")
        # Of listeners and files Strimzi takes care itself.
        three = settings_in(ROOT / "k8s/stores/replicated/broker.properties")
        elsewhere |= {key: value for key, value in three.items() if re.search(r"replica|\.isr$|^unclean", key)}
        self.assertEqual({key: str(value).lower() for key, value in config.items()}, elsewhere)

    def test_is_the_release_of_the_tests(self):
        pom = (ROOT / "deploy/kafka/pom.xml").read_text(encoding="utf-8")
        self.assertIn(f"<kafka.version>{named('Kafka', 'tideline')['spec']['kafka']['version']}</kafka.version>", pom)

    def test_pods_are_not_cut_off_by_our_policies(self):
        # Strimzi hands this label of a resource on to its pods.
        for one in of_operators(production()):
            self.assertNotIn("app.kubernetes.io/part-of", one["metadata"].get("labels", {}))


class Certificates(unittest.TestCase):
    def test_each_part_has_its_own(self):
        resources = production()
        for one in manifests.workloads(resources) + manifests.jobs(resources):
            part = one["metadata"]["name"].removeprefix("migrate-")
            names = [name for name, _ in manifests.secrets_read_by(manifests.pod_of(one)) if name.endswith("-tls")]
            own = certificate(part)
            self.assertEqual((names, own["secretName"], own["commonName"]), ([f"{part}-tls"], f"{part}-tls", part))
            self.assertTrue(vouches(part, part))
        # Kafka takes the whole subject for the name.
        for user in of_kind("KafkaUser"):
            self.assertEqual(user["metadata"]["name"], certificate(user["metadata"]["name"])["commonName"])
            self.assertNotIn("subject", certificate(user["metadata"]["name"]))

    def test_stores_are_called_as_they_are_certified(self):
        brokers = manifests.settings_of(production(), "service-settings")["TIDELINE_KAFKA_BROKERS"]
        triggers = [trigger["metadata"] for one in of_kind("ScaledObject") for trigger in one["spec"]["triggers"]]
        for server in {brokers} | {one["bootstrapServers"] for one in triggers if "bootstrapServers" in one}:
            host, port = server.split(":")
            listener = named("Kafka", "tideline")["spec"]["kafka"]["listeners"][0]
            self.assertEqual(int(port), listener["port"])
            self.assertTrue(vouches("kafka", host), host)
        self.assertTrue(vouches("kafka", "tideline-broker-2.tideline-kafka-brokers.tideline.svc"))
        for service in manifests.SERVICES:
            self.assertTrue(vouches("postgres", url_of(service)["host"]))


class Databases(unittest.TestCase):
    def test_each_service_has_one_with_its_role(self):
        cluster = named("Cluster", "postgres")
        roles = {one["name"]: one["passwordSecret"]["name"] for one in cluster["spec"]["managed"]["roles"]}
        databases = {one["spec"]["name"]: one["spec"]["owner"] for one in of_kind("Database")}
        self.assertEqual(len(databases), len(manifests.SERVICES))
        for service in manifests.SERVICES:
            name = f"tideline_{service.replace('-', '_')}"
            self.assertEqual(url_of(service), {
                "host": f"{cluster['metadata']['name']}-rw", "dbname": name, "user": name, "password": "PASSWORD",
                "sslmode": "verify-full", "sslrootcert": "/etc/tideline/tls/ca.crt", "target_session_attrs": "read-write"})
            self.assertEqual((databases[name], roles[name]), (name, f"{service}-database"))

    def test_instances_are_set_as_elsewhere(self):
        elsewhere = settings_in(ROOT / "k8s/stores/image/postgresql.conf")
        own = named("Cluster", "postgres")["spec"]["postgresql"]["parameters"]
        self.assertLessEqual(own.keys(), elsewhere.keys())
        self.assertEqual({key for key in own if own[key] != elsewhere[key]}, {"shared_buffers", "max_wal_size"})

    def test_nothing_is_lost_with_an_instance(self):
        spec = named("Cluster", "postgres")["spec"]
        self.assertGreaterEqual(spec["instances"], 3)
        self.assertEqual(spec["postgresql"]["synchronous"],
                         {"method": "any", "number": 1, "dataDurability": "required", "failoverQuorum": True})


class Secrets(unittest.TestCase):
    def test_every_one_that_is_read_is_made(self):
        made = {one["spec"]["secretName"] for one in of_kind("Certificate")}
        made |= {one["metadata"]["name"] for one in of_kind("ExternalSecret")}
        for one in manifests.workloads(production()) + manifests.jobs(production()):
            self.assertLessEqual({name for name, _ in manifests.secrets_read_by(manifests.pod_of(one))}, made)

    def test_that_of_the_ingress_is_made(self):
        for one in of_kind("Ingress"):
            self.assertIn("cert-manager.io/cluster-issuer", one["metadata"]["annotations"])

    def test_keys_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory(prefix="tideline-secrets-") as folder:
            made = {one["metadata"]["name"] for one in manifests.secrets_of(folder, "--only", "keys")}
        stored = [one for one in of_kind("ExternalSecret") if "secretStoreRef" in one["spec"]]
        # Those of the mail server are its own.
        self.assertEqual({one["metadata"]["name"] for one in stored}, made | {"mail"})
        for one in stored:
            self.assertEqual(one["spec"]["dataFrom"], [{"extract": {"key": f"tideline/{one['metadata']['name']}"}}])


class Scaling(unittest.TestCase):
    def test_all_but_scoring_scale(self):
        scaled = {(one["spec"]["scaleTargetRef"]["kind"], one["spec"]["scaleTargetRef"]["name"]): one["spec"]
                  for one in of_kind("ScaledObject")}
        for one in manifests.workloads(production()):
            name = one["metadata"]["name"]
            if name == "scoring":
                self.assertEqual(one["spec"]["replicas"], 1)
                continue
            self.assertNotIn("replicas", one["spec"])
            self.assertGreaterEqual(scaled.pop((one["kind"], name))["minReplicaCount"], 2)
        self.assertEqual(scaled, {})

    def test_by_groups_that_services_read_in(self):
        for one in of_kind("ScaledObject"):
            service = one["metadata"]["name"]
            groups = [trigger["metadata"]["consumerGroup"] for trigger in one["spec"]["triggers"] if trigger["type"] == "kafka"]
            self.assertEqual(len(groups), service in manifests.SERVICES)
            for group in groups:
                projection = group.removeprefix(f"tideline-{service}-")
                sources = (ROOT / f"services/{service}/projections").rglob("*.hpp")
                self.assertTrue(any(f'name() const override {{ return "{projection}"; }}' in path.read_text(encoding="utf-8")
                                    for path in sources), group)


class Monitors(unittest.TestCase):
    def test_each_part_is_read_once_at_a_port_that_it_has(self):
        for one in manifests.workloads(production()):
            labels = one["spec"]["template"]["metadata"]["labels"]
            ports = {port["name"] for own in manifests.pod_of(one)["containers"] for port in own.get("ports", [])}
            fitting = [monitor["spec"] for monitor in of_kind("PodMonitor")
                       if monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()]
            self.assertEqual([endpoint["port"] in ports for spec in fitting for endpoint in spec["podMetricsEndpoints"]], [True])


if __name__ == "__main__":
    unittest.main()
