#!/usr/bin/env python3
"""check_registry.py ROOT : what cannot read ROOT/services/registry.txt itself names the same services.

Looks at the folders of services/, HAProxy's configuration, compose.yaml and the manifests. Each finding says
what to add. Whether a service has an OpenAPI document is checked by tests/contract."""
import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import registry
import tree

OWN_FILES = ["main.cpp", "k8s/kustomization.yaml", "k8s/service.yaml"]


def repeated(values):
    return sorted({value for value in values if values.count(value) > 1})


def check_folders(root, services):
    file = "services/registry.txt"
    names = [service.name for service in services]
    for what, values in [
        ("names", names),
        ("ports", [service.port for service in services]),
        ("routes", [route for service in services for route in service.routes]),
    ]:
        for value in repeated(values):
            yield f"{file}: {value} stands twice among the {what}"
    folders = {path.name for path in (root / "services").iterdir() if path.is_dir()}
    free_port = max(service.port for service in services) + 1
    for name in sorted(folders - set(names)):
        yield f"{file}: services/{name} has no line; add: {name}  {free_port}  -  {name}"
    for service in services:
        for own in OWN_FILES:
            if not (root / f"services/{service.name}/{own}").is_file():
                yield f"{file}: {service.name} has no file services/{service.name}/{own}"


# What a service that is about to stop has begun is not broken off, and while none is there requests wait. (In `defaults`,
# HAProxy warns of each frontend.)
REPLACED = ["http-check disable-on-404", "http-request lua.await_service if { nbsrv eq 0 }"]


def gateway_lines(service):
    """(what the configuration must hold as a whole line, where a longer line lists all services: a part of it)"""
    backend = service.identifier
    variable = service.variable
    yield f"presetenv {variable} {service.name}:8080", True
    yield f"acl to_{backend} path -m reg ^/v1/({'|'.join(service.routes)})(/|$)", True
    yield f"use_backend {backend} if to_{backend}", True
    yield f"backend {backend}", True
    yield f"server {backend if service.name != 'feed' else 'feed-0'} \"${{{variable}}}\" verifyhost {service.name}", True
    yield f"to_{backend}", "http-request deny deny_status 404 unless "
    yield f'"_http._tcp.{service.name}.${{TIDELINE_NAMES}}" verifyhost {service.name}', "server-template "
    yield f"{{ nbsrv({backend}) gt 0 }}", "http-request set-var(proc.reached_all) "
    yield f"acl reaches_one nbsrv({backend}) gt 0", True
    yield f'"{service.name}":%[nbsrv({backend})]', "http-request set-var-fmt(txn.reached) "


def check_gateway(root, services):
    file = "deploy/gateway/haproxy.cfg"
    lines = [" ".join(line.split()) for line in (root / file).read_text(encoding="utf-8").splitlines()]
    for service in services:
        for wanted, place in gateway_lines(service):
            if place is True and wanted not in lines:
                yield f"{file}: {service.name} is missing; add the line: {wanted}"
            elif place is not True and not any(
                line.startswith(place) and re.search(re.escape(wanted) + r"(?!\w)", line) for line in lines
            ):
                yield f"{file}: {service.name} is missing; add to the line '{place}...': {wanted}"
        backend = f"backend {service.identifier}"
        if backend in lines and lines[lines.index(backend) + 1:][:2] != REPLACED:
            yield f"{file}: add below the line '{backend}': {'; '.join(REPLACED)}"
    backends = {service.identifier for service in services}
    for line in lines:
        named = re.match(r"use_backend (\w+) if to_", line)
        if named and named[1] not in backends:
            yield f"{file}: backend {named[1]} is no service of services/registry.txt"


def check_compose(root, services):
    file = "deploy/compose.yaml"
    document = yaml.load((root / file).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    containers = document["services"]
    databases = document["configs"]["databases"]["content"]
    for service in services:
        database = f"tideline_{service.identifier}"
        wanted = {service.name: [f"tideline-{service.name}"]}
        if service.snapshots:
            wanted[f"{service.name}-snapshots"] = [f"tideline-{service.name}", "snapshot"]
        for name, command in wanted.items():
            if containers.get(name, {}).get("command") != command:
                yield f"{file}: {service.name} is missing; add to services: {name} with command {command}"
        if f" dbname={database} user={database} " not in str(containers.get(service.name, {}).get("environment")):
            yield f"{file}: {service.name} needs TIDELINE_DATABASE_URL with dbname={database} user={database}"
        if service.name not in containers["gateway"]["depends_on"]:
            yield f"{file}: {service.name} is missing; add to depends_on of the gateway: {service.name}"
        for statement in (f"CREATE ROLE {database} ", f"CREATE DATABASE {database} OWNER {database};"):
            if statement not in databases:
                yield f"{file}: {service.name} is missing; add to configs.databases: {statement}"


def check_manifests(root, services):
    file = "k8s/base/kustomization.yaml"
    resources = yaml.load((root / file).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["resources"]
    for service in services:
        entry = f"../../services/{service.name}/k8s"
        if entry not in resources:
            yield f"{file}: {service.name} is missing; add to resources: {entry}"
        own = root / f"services/{service.name}/k8s/service.yaml"
        found = list(yaml.load_all(own.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)) if own.is_file() else []
        if not any(one["kind"] == "Service" and one["metadata"]["name"] == service.name for one in found):
            yield f"services/{service.name}/k8s/service.yaml: add a Service with the name {service.name}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    services = registry.read(root)
    checks = (check_folders, check_gateway, check_compose, check_manifests)
    return tree.report("services", [finding for check in checks for finding in check(root, services)], len(services))


if __name__ == "__main__":
    sys.exit(main())
