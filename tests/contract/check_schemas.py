#!/usr/bin/env python3
"""check_schemas.py ROOT [--prove]: holds the documents in ROOT/schemas to each other.

- every schema of an event or of a latest state is valid JSON Schema, and asyncapi.yaml names it, and nothing
  that is not there;
- every contract names events, states and fields that the producer's schema requires, and its examples are
  valid under that schema;
- every path of an OpenAPI document is one that the gateway routes to that very service;
- every response schema reference of an OpenAPI document leads somewhere.

--prove breaks a copy of the documents in each of these ways and requires the finding."""

import json
import pathlib
import re
import shutil
import sys
import tempfile

import jsonschema
import yaml

SERVICES = ["accounts", "projects", "social-graph", "feed", "scoring"]


def all_schemas(root):
    """(service, event or state) -> schema"""
    found = {}
    folders = [root / "schemas/events", root / "schemas/states"]
    for file in sorted(file for folder in folders for file in folder.glob("*/*.v1.json")):
        found[(file.parent.name, file.name.removesuffix(".v1.json"))] = json.loads(file.read_text())
    return found


def check_events(root, schemas):
    for (service, event), schema in schemas.items():
        try:
            jsonschema.Draft7Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            yield f"schema of {service}/{event} is not valid: {error.message}"
        unknown = set(schema.get("required", [])) - set(schema.get("properties", {}))
        if unknown:
            yield f"schema of {service}/{event} requires unknown fields {sorted(unknown)}"
    text = (root / "schemas/asyncapi.yaml").read_text()
    document = yaml.safe_load(text)
    named = set(re.findall(r"(?:events|states)/([a-z-]+)/([A-Za-z]+)\.v1\.json", text))
    for service, event in sorted(set(schemas) - named):
        yield f"asyncapi.yaml does not name {service}/{event}"
    for service, event in sorted(named - set(schemas)):
        yield f"asyncapi.yaml names {service}/{event}, which has no schema"
    addresses = {channel.get("address") for channel in document.get("channels", {}).values()}
    for service in SERVICES:
        if f"tideline.{service}" not in addresses:
            yield f"asyncapi.yaml has no channel tideline.{service}"


def check_contracts(root, schemas):
    files = sorted((root / "schemas/contracts").glob("*/*.json"))
    if not files:
        yield "there is no contract"
    for file in files:
        contract = json.loads(file.read_text())
        consumer, producer = file.parent.name, file.stem
        if (contract["consumer"], contract["producer"]) != (consumer, producer):
            yield f"{file.name} of {consumer} names another consumer or producer than its path"
        for promised in contract["events"] + contract.get("states", []):
            schema = schemas.get((producer, promised["type"]))
            if schema is None:
                yield f"{consumer} relies on {producer}/{promised['type']}, which has no schema"
                continue
            missing = set(promised["fields"]) - set(schema.get("required", []))
            if missing:
                yield f"{consumer} relies on fields {sorted(missing)} that {producer}/{promised['type']} does not require"
            # An example may leave out what its consumer does not read.
            shape = {key: value for key, value in schema.items() if key != "required"}
            for error in jsonschema.Draft7Validator(shape).iter_errors(promised["example"]["data"]):
                yield f"example of {consumer} for {producer}/{promised['type']}: {error.message}"


def gateway_routes(root):
    """service -> regex of the paths that the gateway sends there"""
    routes = {}
    for line in (root / "deploy/gateway/haproxy.cfg").read_text().splitlines():
        match = re.match(r"\s*acl to_(\w+)\s+path(?: -m reg)? (\S+)$", line)
        if match:
            service = match[1].replace("_", "-")
            pattern = match[2] if match[2].startswith("^") else "^" + re.escape(match[2]) + "$"
            routes.setdefault(service, []).append(re.compile(pattern))
    return routes


def references(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def check_http(root):
    routes = gateway_routes(root)
    for service in SERVICES:
        file = root / f"schemas/http/{service}.yaml"
        if not file.exists():
            yield f"{service} has no OpenAPI document"
            continue
        document = yaml.safe_load(file.read_text())
        if not str(document.get("openapi", "")).startswith("3.1"):
            yield f"{file.name} is not OpenAPI 3.1"
        for path in document["paths"]:
            sent_to = [name for name, patterns in routes.items() if any(p.search(path) for p in patterns)]
            if sent_to != [service]:
                yield f"{path} of {service} is routed to {sent_to}"
        for reference in references(document):
            node = document
            for part in reference.removeprefix("#/").split("/"):
                part = part.replace("~1", "/").replace("~0", "~")
                node = node.get(part) if isinstance(node, dict) else None
            if node is None:
                yield f"{file.name}: {reference} leads nowhere"


def findings(root):
    schemas = all_schemas(root)
    yield from check_events(root, schemas)
    yield from check_contracts(root, schemas)
    yield from check_http(root)


def prove(root):
    """Each breakage: a file, what is replaced in it, and a word that the finding must have."""
    breakages = [
        ("schemas/events/social-graph/ContactAccepted.v1.json", '"to"', '"whom"', "relies on fields"),
        ("schemas/contracts/feed/social-graph.json", '"ContactAccepted"', '"ContactMade"', "which has no schema"),
        ("schemas/contracts/accounts/scoring.json", '"day_contributions": [5', '"day_contributions": [-5', "example of"),
        ("schemas/states/scoring/Score.v1.json", '"as_of"', '"published_on"', "relies on fields"),
        ("schemas/asyncapi.yaml", "Score.v1", "Scores.v1", "has no schema"),
        ("schemas/asyncapi.yaml", "MomentPublished.v1", "MomentWritten.v1", "asyncapi.yaml"),
        ("schemas/http/feed.yaml", "/v1/timeline", "/v1/timelines", "is routed to"),
        ("schemas/http/projects.yaml", "schemas/Comment'", "schemas/Remark'", "leads nowhere"),
    ]
    unseen = []
    for name, old, new, word in breakages:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            shutil.copytree(root / "schemas", copy / "schemas")
            shutil.copytree(root / "deploy/gateway", copy / "deploy/gateway")
            text = (copy / name).read_text()
            if old not in text:
                unseen.append(f"{name} does not hold {old}")
                continue
            (copy / name).write_text(text.replace(old, new))
            if not any(word in finding for finding in findings(copy)):
                unseen.append(f"{name}: {old} -> {new} was not found")
    return unseen


def main():
    root = pathlib.Path(sys.argv[1])
    found = prove(root) if "--prove" in sys.argv else list(findings(root))
    for line in found:
        print(line)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


main()
