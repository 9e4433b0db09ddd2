"""The manifests of k8s/: valid for three versions of Kubernetes, and as careful as k8s/README.md says."""
import base64
import copy
import functools
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import kubernetes_validate
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(sys.argv.pop(1))
OVERLAYS = ["trial", "replicated", "production"]
VERSIONS = ["1.35.0", "1.36.0", "1.37.0"]
SERVICES = set(registry.names())
GRACEFUL_STOP_SECONDS = 10
WORKLOADS = {"Deployment", "StatefulSet"}
HASH = re.compile(r"-[a-z0-9]{10}$")


def settings_of(resources, name):
    return [one for one in resources if one["kind"] == "ConfigMap" and HASH.sub("", one["metadata"]["name"]) == name][0]["data"]


@functools.cache
def rendered(name):
    folder = ROOT / "k8s" / ("demo" if name == "demo" else f"overlays/{name}")
    return subprocess.run([PROGRAMS / "kustomize", "build", folder], capture_output=True, text=True, check=True).stdout


def overlay(name):
    return list(yaml.safe_load_all(rendered(name)))


def pod_of(resource):
    spec = resource["spec"]
    return (spec["jobTemplate"]["spec"] if resource["kind"] == "CronJob" else spec)["template"]["spec"]


def of_kubernetes(resource):
    """And not of an operator: those are for operators_test.py."""
    group = resource["apiVersion"].rpartition("/")[0]
    return "." not in group or group.endswith(".k8s.io")


def errors_of(resources, version):
    found = []
    for resource in filter(of_kubernetes, resources):
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{resource['kind']} {resource['metadata']['name']}: {error.message}")
    return found


def workloads(resources):
    return [one for one in resources if one["kind"] in WORKLOADS]


def jobs(resources):
    return [one for one in resources if one["kind"] == "Job"]


def is_ours(resource):
    """A part that answers people, of which tests know how it is stopped and probed."""
    labels = resource["metadata"].get("labels", {})
    return labels.get("tideline/shape") == "service" or labels.get("app.kubernetes.io/name") == "gateway"


def asks_kubernetes(resource):
    """Who leads several PostgreSQLs is written there."""
    return resource["metadata"]["name"] == "postgres" and resource["spec"]["replicas"] > 1


def careless(resource, linger_ms):
    """What a restricted cluster, or a stop under load, would object to."""
    pod = pod_of(resource)
    security = pod.get("securityContext", {})
    if not security.get("runAsNonRoot"):
        yield "may run as root"
    if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile"
    if pod.get("automountServiceAccountToken") is not False and not asks_kubernetes(resource):
        yield "has a token of the cluster"
    for container in pod["containers"]:
        own = container.get("securityContext", {})
        if own.get("allowPrivilegeEscalation") is not False or not own.get("readOnlyRootFilesystem"):
            yield "may gain rights or write to its image"
        if own.get("capabilities", {}).get("drop") != ["ALL"]:
            yield "keeps capabilities"
        # A container without a port only works for the others of its pod.
        answers = is_ours(resource) and "ports" in container
        for probe, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")) if answers else ():
            if container.get(probe, {}).get("httpGet", {}).get("path") != path:
                yield f"has no {probe} at {path}"
        resources = container.get("resources", {})
        if not resources.get("requests", {}).keys() >= {"cpu", "memory"} or "memory" not in resources.get("limits", {}):
            yield "names no resources"
        before_stop = " ".join(container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", []))
        waits = sum(int(number) for number in re.findall(r"sleep (\d+)", before_stop)) or linger_ms / 1000
        needs = waits if before_stop else waits + GRACEFUL_STOP_SECONDS
        if answers and (not waits or pod.get("terminationGracePeriodSeconds", 0) < needs):
            yield "is killed before it has stopped gracefully"


def linger_ms_of(resources):
    return int(settings_of(resources, "service-settings")["TIDELINE_LINGER_MS"])


def secrets_of(folder, *options):
    done = subprocess.run([ROOT / "k8s/secrets", f"{folder}/secrets", *options], capture_output=True, text=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


def secrets_read_by(pod):
    """Name and key; no key: all of them."""
    for volume in pod.get("volumes", []):
        if "secret" in volume:
            yield volume["secret"]["secretName"], None
    for container in pod["containers"]:
        for variable in container.get("env", []):
            if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                yield reference["name"], reference["key"]


class Manifests(unittest.TestCase):
    def test_valid_for_three_versions(self):
        for name in [*OVERLAYS, "demo"]:
            for version in VERSIONS:
                with self.subTest(overlay=name, version=version):
                    self.assertEqual(errors_of(overlay(name), version), [])

    def test_invalid_manifests_are_noticed(self):
        broken = [list(yaml.safe_load_all(path.read_text(encoding="utf-8"))) for path in sorted((ROOT / "tests/k8s/bad_fixture").glob("*.yaml"))]
        self.assertEqual(len(broken), 3)
        for resources in broken:
            for version in VERSIONS:
                self.assertEqual(len(errors_of(resources, version)), 1, resources)

    def test_careful(self):
        stores = ({"postgres", "kafka"}, {"kafka-grants"})
        for name, stores, more_jobs in (("trial", *stores), ("replicated", *stores), ("production", set(), set())):
            resources = overlay(name)
            found = workloads(resources)
            self.assertEqual({one["metadata"]["name"] for one in found}, SERVICES | {"gateway"} | stores)
            migrations = {f"migrate-{service}" for service in SERVICES}
            self.assertEqual({one["metadata"]["name"] for one in jobs(resources)}, migrations | more_jobs)
            for one in found + jobs(resources) + jobs(overlay("demo")):
                self.assertEqual(list(careless(one, linger_ms_of(resources))), [], one["metadata"]["name"])

    def test_kube_score_finds_nothing(self):
        # No limit of the processor: it would throttle what answers people while nobody else wants it. Tags are never moved.
        # What is scaled names no number of its own (operators_test.py).
        for name, more in (("trial", ["deployment-replicas"]), ("replicated", []), ("production", ["deployment-replicas"]),
                           ("demo", [])):
            ignored = [word for test in ["container-image-pull-policy", *more] for word in ("--ignore-test", test)]
            done = subprocess.run(
                [PROGRAMS / "kube-score", "score", "--ignore-container-cpu-limit", "--output-format", "ci", "--exit-one-on-warning",
                 *ignored, "-"], input=rendered(name), capture_output=True, text=True, check=False)
            found = [line for line in done.stdout.splitlines() if not line.startswith(("[OK]", "[SKIPPED]"))]
            self.assertEqual((found, done.returncode), ([], 0), done.stderr)

    def test_carelessness_is_noticed(self):
        good = workloads(overlay("trial"))[0]
        spoiled = [
            ("spec/template/spec/securityContext", "runAsNonRoot"),
            ("spec/template/spec/securityContext", "seccompProfile"),
            ("spec/template/spec", "automountServiceAccountToken"),
            ("spec/template/spec", "terminationGracePeriodSeconds"),
            ("spec/template/spec/containers/0/securityContext", "readOnlyRootFilesystem"),
            ("spec/template/spec/containers/0/securityContext", "capabilities"),
            ("spec/template/spec/containers/0", "readinessProbe"),
            ("spec/template/spec/containers/0", "resources"),
        ]
        job = jobs(overlay("trial"))[0]
        in_job = [one for one in spoiled if one[1] not in ("terminationGracePeriodSeconds", "readinessProbe")]
        for whole, path, key in [(good, *one) for one in spoiled] + [(job, *one) for one in in_job]:
            bad = copy.deepcopy(whole)
            place = bad
            for step in path.split("/"):
                place = place[int(step)] if step.isdigit() else place[step]
            del place[key]
            self.assertEqual(len(list(careless(bad, 3000))), 1, key)
        self.assertEqual(len(list(careless(good, 0))), 1)

    def test_snapshots_are_found_where_they_are_left(self):
        for name in OVERLAYS:
            for service in (one.name for one in registry.read() if one.snapshots):
                own = [one for one in workloads(overlay(name)) if one["metadata"]["name"] == service][0]
                setting = f"TIDELINE_{service.upper()}_SNAPSHOT_FOLDER"
                places = []
                for container in pod_of(own)["containers"]:
                    folder = [one["value"] for one in container["env"] if one["name"] == setting]
                    volume = [one["name"] for one in container["volumeMounts"] if [one["mountPath"]] == folder]
                    places.append((container["image"], container["command"][0], folder, volume))
                self.assertEqual(len(places), 2)
                self.assertEqual(places[0], places[1])
                self.assertEqual(places[0][3], [one["metadata"]["name"] for one in own["spec"]["volumeClaimTemplates"]])

    def test_parts_fit_together(self):
        for name in OVERLAYS:
            resources = overlay(name)
            named = {(one["kind"], one["metadata"]["name"]) for one in resources}
            self.assertNotIn("Secret", {kind for kind, _ in named}, "secrets are referenced, not contained")
            self.assertEqual(len(named), len(resources))
            for one in workloads(resources) + jobs(resources):
                pod = pod_of(one)
                self.assertIn(("ServiceAccount", pod["serviceAccountName"]), named)
                maps = [source["configMapRef"]["name"] for own in pod["containers"] for source in own.get("envFrom", [])]
                maps += [volume["configMap"]["name"] for volume in pod.get("volumes", []) if "configMap" in volume]
                for config_map in maps:
                    self.assertIn(("ConfigMap", config_map), named)
                    # Another content has another name, and so rolls the pods.
                    self.assertRegex(config_map, HASH)
            for one in workloads(resources):
                own = one["metadata"]["name"]
                self.assertIn(("Service", own), named)
                if is_ours(one):
                    self.assertIn(("PodDisruptionBudget", own), named)
                labels = one["spec"]["template"]["metadata"]["labels"]
                self.assertLessEqual(one["spec"]["selector"]["matchLabels"].items(), labels.items())
                for constraint in pod_of(one)["topologySpreadConstraints"] if is_ours(one) else []:
                    self.assertLessEqual(constraint["labelSelector"]["matchLabels"].items(), labels.items())
                    self.assertIn("app.kubernetes.io/name", constraint["matchLabelKeys"])

    def test_every_secret_is_made_with_every_key(self):
        with tempfile.TemporaryDirectory(prefix="tideline-secrets-") as folder:
            made = secrets_of(folder)
            self.assertEqual(secrets_of(folder), made, "the same folder gives the same Secrets again")
            keys = {one["metadata"]["name"]: set(one["data"]) for one in made}
            for one in workloads(overlay("trial")) + jobs(overlay("trial")):
                for name, key in secrets_read_by(pod_of(one)):
                    self.assertIn(name, keys)
                    self.assertTrue(key is None or key in keys[name], f"{name} has no {key}")
            rotated = {one["metadata"]["name"]: one["data"] for one in secrets_of(folder, "--rotate")}
            before = {one["metadata"]["name"]: one["data"] for one in made}
            self.assertEqual({name for name in before if rotated[name] != before[name]}, {"jwt-signing", "jwt-public", "jwt-key-ids"})
            self.assertEqual(rotated["jwt-key-ids"]["TIDELINE_JWT_PREVIOUS_KID"], before["jwt-key-ids"]["TIDELINE_JWT_KID"])
            self.assertEqual(len(rotated["jwt-public"]), 2)

    def test_people_come_by_the_ingress_alone(self):
        by_name = {(one["kind"], one["metadata"]["name"]): one for one in overlay("trial")}
        ingress = by_name["Ingress", "gateway"]
        with tempfile.TemporaryDirectory(prefix="tideline-secrets-") as folder:
            made = {one["metadata"]["name"]: one["data"] for one in secrets_of(folder)}
            for tls in ingress["spec"]["tls"]:
                self.assertIn(tls["secretName"], made)
                self.assertEqual(tls["hosts"], [rule["host"] for rule in ingress["spec"]["rules"]])
                for host in tls["hosts"]:
                    said = subprocess.run(["openssl", "x509", "-noout", "-checkhost", host], capture_output=True, check=True,
                                          input=base64.b64decode(made[tls["secretName"]]["tls.crt"])).stdout
                    self.assertIn(b"does match", said)
        # Who may tell the addresses of others is who may come at all.
        self.assertIn("TIDELINE_FORWARDED_FROM", settings_of(overlay("trial"), "gateway-settings"))
        for rule in by_name["NetworkPolicy", "gateway"]["spec"]["ingress"]:
            self.assertTrue(rule["from"])
            for peer in rule["from"]:
                self.assertTrue(peer["namespaceSelector"]["matchLabels"] and peer["podSelector"]["matchLabels"])

    def test_accounts_alone_sends_mail(self):
        resources = overlay("production")
        settings = settings_of(resources, "mail-settings")
        readers, passwords = ({one["metadata"]["name"] for one in workloads(resources) + jobs(resources) if text in yaml.safe_dump(one)}
                              for text in ("name: mail-settings-", "secretName: mail\n"))
        self.assertEqual((readers, passwords), ({"accounts"}, {"accounts"}))
        accounts = [one for one in workloads(resources) if one["metadata"]["name"] == "accounts"][0]
        container = pod_of(accounts)["containers"][0]
        self.assertEqual(len(container["envFrom"]), 2, "it still has the settings of every service")
        mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
        self.assertIn({"name": "TIDELINE_SMTP_PASSWORD_FILE", "value": f"{mounts['mail']}/password"}, container["env"])
        # By the port of the server that is set.
        policy = [one["spec"] for one in resources if (one["kind"], one["metadata"]["name"]) == ("NetworkPolicy", "mail")][0]
        self.assertEqual(policy["podSelector"], {"matchLabels": {"app.kubernetes.io/name": "accounts"}})
        self.assertIn({"port": int(settings["TIDELINE_SMTP_URL"].rpartition(":")[2])}, policy["egress"][0]["ports"])

    def test_every_secret_is_documented(self):
        page = (ROOT / "k8s/README.md").read_text(encoding="utf-8")
        for one in workloads(overlay("production")):
            text = yaml.safe_dump(one["spec"]["template"])
            for secret in re.findall(r"secretName: ([a-z-]+)", text) + re.findall(
                r"secretKeyRef:\s+key: \w+\s+name: ([a-z-]+)", text
            ):
                self.assertIn(f"`{secret}`", page)

    def test_production(self):
        resources = overlay("production")
        settings = settings_of(resources, "service-settings")
        self.assertEqual(settings["TIDELINE_LOGS"], "64")
        self.assertEqual(settings["TIDELINE_KAFKA_REPLICATION"], "3")
        # Kept from the base, not lost in the patch.
        self.assertEqual(settings["TIDELINE_LOG_LEVEL"], "info")
        images = {one["spec"]["template"]["spec"]["containers"][0]["image"] for one in workloads(resources)}
        self.assertEqual(len(images), 1)
        self.assertNotIn("latest", images.pop())

    def test_browsers_are_bound_to_tls_where_it_ends_ahead(self):
        a_year_s = 365 * 24 * 3600
        settings = settings_of(overlay("production"), "gateway-settings")
        self.assertGreaterEqual(int(settings.get("TIDELINE_HSTS_SECONDS", 0)), a_year_s)
        # A cluster of one's own has no certificate.
        self.assertEqual(int(settings_of(overlay("trial"), "gateway-settings").get("TIDELINE_HSTS_SECONDS", 0)), 0)

    def test_the_gateway_reads_what_is_set_for_it(self):
        read = (ROOT / "deploy/gateway/haproxy.cfg").read_text(encoding="utf-8")
        for name in OVERLAYS:
            for key in settings_of(overlay(name), "gateway-settings"):
                self.assertTrue(re.search(rf"\b{key}\b", read), f"{name}: nothing reads {key}")

    def test_the_gateway_finds_each_service_by_its_records(self):
        for name in OVERLAYS:
            resources = overlay(name)
            by_name = {(one["kind"], one["metadata"]["name"]): one for one in resources}
            gateway = by_name["Deployment", "gateway"]["spec"]["template"]["spec"]["containers"][0]
            known = {one["name"]: one.get("value") for one in gateway["env"]}
            self.assertEqual(known["TIDELINE_NAMES"], "$(POD_NAMESPACE).svc.cluster.local")
            for service in SERVICES:
                # Records are of ports with names: _http._tcp.<service>.
                self.assertEqual([port["name"] for port in by_name["Service", service]["spec"]["ports"]], ["http"])
                # One for each instance, not one for all of them.
                self.assertEqual(by_name["Service", service]["spec"]["clusterIP"], "None")
            self.assertEqual(by_name["StatefulSet", "feed"]["spec"]["serviceName"], "feed")


class Compose(unittest.TestCase):
    def test_compose_file(self):
        compose = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))
        parts = compose["services"]
        self.assertLessEqual(SERVICES | {"gateway", "postgres", "kafka"}, parts.keys())
        for name in SERVICES:
            self.assertEqual(parts[name]["command"][0], f"tideline-{name}")
            for other in parts[name]["depends_on"]:
                self.assertIn(other, parts)


if __name__ == "__main__":
    unittest.main()
