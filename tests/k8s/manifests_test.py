"""The manifests of k8s/: valid for three versions of Kubernetes, and as careful as k8s/README.md says."""
import copy
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import kubernetes_validate
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry
import render

ROOT = pathlib.Path(__file__).resolve().parents[2]
OVERLAYS = ["local", "production"]
VERSIONS = ["1.35.0", "1.36.0", "1.37.0"]
SERVICES = set(registry.names())
GRACEFUL_STOP_SECONDS = 10


def settings_of(resources, name):
    return [one for one in resources if (one["kind"], one["metadata"]["name"]) == ("ConfigMap", name)][0]["data"]


def overlay(name):
    return render.render(ROOT / "k8s/overlays" / name)


def errors_of(resources, version):
    found = []
    for resource in resources:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{resource['kind']} {resource['metadata']['name']}: {error.message}")
    return found


def workloads(resources):
    return [one for one in resources if one["kind"] in render.WORKLOADS]


def jobs(resources):
    return [one for one in resources if one["kind"] == "CronJob"]


def careless(resource):
    """What a restricted cluster, or a stop under load, would object to."""
    pod = render.pod_of(resource)
    serves = resource["kind"] in render.WORKLOADS
    security = pod.get("securityContext", {})
    if not security.get("runAsNonRoot"):
        yield "may run as root"
    if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        yield "has no seccomp profile"
    if pod.get("automountServiceAccountToken") is not False:
        yield "has a token of the cluster"
    for container in pod["containers"]:
        own = container.get("securityContext", {})
        if own.get("allowPrivilegeEscalation") is not False or not own.get("readOnlyRootFilesystem"):
            yield "may gain rights or write to its image"
        if own.get("capabilities", {}).get("drop") != ["ALL"]:
            yield "keeps capabilities"
        # A container without a port only works for the others of its pod.
        answers = serves and "ports" in container
        for probe, path in (("livenessProbe", "/livez"), ("readinessProbe", "/readyz")) if answers else ():
            if container.get(probe, {}).get("httpGet", {}).get("path") != path:
                yield f"has no {probe} at {path}"
        resources = container.get("resources", {})
        if not resources.get("requests", {}).keys() >= {"cpu", "memory"} or "memory" not in resources.get("limits", {}):
            yield "names no resources"
        before_stop = " ".join(container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", []))
        lingers = next((one["value"] for one in container.get("env", []) if one["name"] == "TIDELINE_LINGER_MS"), "0")
        waits = sum(int(number) for number in re.findall(r"sleep (\d+)", before_stop)) or int(lingers) / 1000
        needs = waits if before_stop else waits + GRACEFUL_STOP_SECONDS
        if answers and (not waits or pod.get("terminationGracePeriodSeconds", 0) < needs):
            yield "is killed before it has stopped gracefully"


class Manifests(unittest.TestCase):
    def test_valid_for_three_versions(self):
        for name in OVERLAYS:
            for version in VERSIONS:
                with self.subTest(overlay=name, version=version):
                    self.assertEqual(errors_of(overlay(name), version), [])

    def test_invalid_manifests_are_noticed(self):
        broken = [render.load(path) for path in sorted((ROOT / "tests/k8s/bad_fixture").glob("*.yaml"))]
        self.assertEqual(len(broken), 3)
        for resources in broken:
            for version in VERSIONS:
                self.assertEqual(len(errors_of(resources, version)), 1, resources)

    def test_careful(self):
        for name in OVERLAYS:
            found = workloads(overlay(name))
            self.assertEqual({one["metadata"]["name"] for one in found}, SERVICES | {"gateway"})
            self.assertEqual({one["metadata"]["name"] for one in jobs(overlay(name))}, {"scoring-snapshots"})
            for one in found + jobs(overlay(name)):
                self.assertEqual(list(careless(one)), [], one["metadata"]["name"])

    def test_carelessness_is_noticed(self):
        good = workloads(overlay("local"))[0]
        spoiled = [
            ("spec/template/spec/securityContext", "runAsNonRoot"),
            ("spec/template/spec/securityContext", "seccompProfile"),
            ("spec/template/spec", "automountServiceAccountToken"),
            ("spec/template/spec", "terminationGracePeriodSeconds"),
            ("spec/template/spec/containers/0/securityContext", "readOnlyRootFilesystem"),
            ("spec/template/spec/containers/0/securityContext", "capabilities"),
            ("spec/template/spec/containers/0", "readinessProbe"),
            ("spec/template/spec/containers/0", "resources"),
            ("spec/template/spec/containers/0", "env"),
        ]
        job = jobs(overlay("local"))[0]
        in_job = [
            (path.replace("spec/template", "spec/jobTemplate/spec/template", 1), key)
            for path, key in spoiled
            if key not in ("terminationGracePeriodSeconds", "readinessProbe", "env")
        ]
        for whole, path, key in [(good, *one) for one in spoiled] + [(job, *one) for one in in_job]:
            bad = copy.deepcopy(whole)
            place = bad
            for step in path.split("/"):
                place = place[int(step)] if step.isdigit() else place[step]
            del place[key]
            self.assertEqual(len(list(careless(bad))), 1, key)

    def test_snapshots_are_found_where_they_are_left(self):
        for name in OVERLAYS:
            resources = overlay(name)
            service = [one for one in workloads(resources) if one["metadata"]["name"] == "scoring"][0]
            places = []
            for one in [service, *jobs(resources)]:
                pod = render.pod_of(one)
                container = pod["containers"][0]
                folder = [own["value"] for own in container["env"] if own["name"] == "TIDELINE_SCORING_SNAPSHOT_FOLDER"]
                volume = [own["name"] for own in container["volumeMounts"] if [own["mountPath"]] == folder]
                claim = [own["persistentVolumeClaim"] for own in pod["volumes"] if [own["name"]] == volume]
                places.append((container["image"], folder, claim))
            self.assertEqual(places[0], places[1])
            self.assertEqual(places[0][2], [{"claimName": "scoring-snapshots"}])

    def test_snapshots_of_feed_are_found_where_they_are_left(self):
        for name in OVERLAYS:
            feed = [one for one in workloads(overlay(name)) if one["metadata"]["name"] == "feed"][0]
            places = []
            for container in render.pod_of(feed)["containers"]:
                folder = [own["value"] for own in container["env"] if own["name"] == "TIDELINE_FEED_SNAPSHOT_FOLDER"]
                volume = [own["name"] for own in container["volumeMounts"] if [own["mountPath"]] == folder]
                places.append((container["image"], container["command"][0], folder, volume))
            self.assertEqual(len(places), 2)
            self.assertEqual(places[0], places[1])
            claims = [one["metadata"]["name"] for one in feed["spec"]["volumeClaimTemplates"]]
            self.assertEqual(places[0][3], claims)

    def test_parts_fit_together(self):
        for name in OVERLAYS:
            resources = overlay(name)
            named = {(one["kind"], one["metadata"]["name"]) for one in resources}
            self.assertNotIn("Secret", {kind for kind, _ in named}, "secrets are referenced, not contained")
            self.assertEqual(len(named), len(resources))
            for one in workloads(resources):
                own = one["metadata"]["name"]
                template = one["spec"]["template"]
                for kind in ("Service", "PodDisruptionBudget", "ServiceAccount"):
                    self.assertIn((kind, own), named)
                self.assertLessEqual(
                    one["spec"]["selector"]["matchLabels"].items(), template["metadata"]["labels"].items()
                )
                for config_map in re.findall(r"configMap(?:Ref|KeyRef)?: *\{?[^}]*?name: ([a-z-]+)", yaml.safe_dump(template)):
                    self.assertIn(("ConfigMap", config_map), named)

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
        # A machine of one's own has no certificate.
        self.assertEqual(int(settings_of(overlay("local"), "gateway-settings").get("TIDELINE_HSTS_SECONDS", 0)), 0)

    def test_the_gateway_reads_what_is_set_for_it(self):
        read = (ROOT / "deploy/gateway/haproxy.cfg").read_text(encoding="utf-8")
        for name in OVERLAYS:
            for key in settings_of(overlay(name), "gateway-settings"):
                self.assertTrue(re.search(rf"\b{key}\b", read), f"{name}: nothing reads {key}")
            gateway = [one for one in workloads(overlay(name)) if one["metadata"]["name"] == "gateway"][0]
            self.assertIn("name: gateway-settings", yaml.safe_dump(gateway["spec"]["template"]))

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
            self.assertEqual(by_name["Service", "feed"]["spec"]["clusterIP"], "None")
            self.assertEqual(by_name["StatefulSet", "feed"]["spec"]["serviceName"], "feed")

    def test_as_kustomize_renders_it(self):
        version = subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True, check=False) if shutil.which("kubectl") else None
        if version is None or "Kustomize Version: v5" not in version.stdout:
            self.skipTest("no kubectl with kustomize 5 at hand")
        for name in OVERLAYS:
            theirs = subprocess.run(
                ["kubectl", "kustomize", str(ROOT / "k8s/overlays" / name)], capture_output=True, text=True, check=True
            ).stdout
            self.assertEqual(
                sorted_by_name(overlay(name)), sorted_by_name(list(yaml.safe_load_all(theirs))), name
            )


def sorted_by_name(resources):
    return {f"{one['kind']} {one['metadata']['name']}": one for one in resources}


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
