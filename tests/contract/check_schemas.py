#!/usr/bin/env python3
"""check_schemas.py ROOT [--prove]: holds the documents in ROOT/schemas to each other.

- every stored version of every event, and of what lies sealed in it (schemas/golden), is read by what schemas/events says of it, and asyncapi.yaml
  is made from that;
- every contract names events, states and fields that the producer has, and its examples are valid;
- every path of an OpenAPI document is one that the gateway routes to that very service;
- every response schema reference of an OpenAPI document leads somewhere.

--prove breaks a copy of the documents in each of these ways and requires the finding."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import breakage
import jsonschema
import yaml

sys.path.insert(0, str(pathlib.Path(sys.argv[1], "schemas/generator")))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import golden  # noqa: E402
import json_schema  # noqa: E402
import model  # noqa: E402
import registry  # noqa: E402

SERVICES = registry.names(pathlib.Path(sys.argv[1]))


def state_schemas(root):
    """(service, state) -> schema"""
    return {(file.parent.name, file.name.removesuffix(".v1.json")): json.loads(file.read_text())
            for file in sorted((root / "schemas/states").glob("*/*.v1.json"))}


def generator(root, *arguments):
    """What schemas/generator complains of, as findings."""
    run = subprocess.run([sys.executable, "-B", root / "schemas/generator", *arguments], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0:
        yield (run.stderr.strip().splitlines() or ["schemas/generator failed"])[-1]


def check_events(root):
    yield from generator(root, "asyncapi", "--check")
    with tempfile.TemporaryDirectory() as folder:
        for consumer in sorted((root / "schemas/contracts").iterdir()):
            yield from generator(root, "cpp", consumer.name, folder)
    try:
        services = model.load_services(root / "schemas")
    except model.SchemaError as error:
        yield str(error)
        return
    yield from golden.findings(root / "schemas", services)


def schema_of_event(services, producer, promised):
    event = services[producer].events.get(promised["type"]) if producer in services else None
    if event is None or event.version < promised["schema_version"]:
        return None
    return json_schema.event_schema(services[producer], event, promised["schema_version"])


def check_contracts(root):
    services, states = model.load_services(root / "schemas"), state_schemas(root)
    for state in states.values():
        jsonschema.Draft7Validator.check_schema(state)
    files = sorted((root / "schemas/contracts").glob("*/*.json"))
    if not files:
        yield "there is no contract"
    for file in files:
        contract = json.loads(file.read_text())
        consumer, producer = file.parent.name, file.stem
        if (contract["consumer"], contract["producer"]) != (consumer, producer):
            yield f"{file.name} of {consumer} names another consumer or producer than its path"
        promises = [(promised, schema_of_event(services, producer, promised)) for promised in contract["events"]]
        promises += [(promised, states.get((producer, promised["type"]))) for promised in contract.get("states", [])]
        for promised, schema in promises:
            if schema is None:
                yield f"{consumer} relies on {producer}/{promised['type']}, which is not described"
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
        document = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
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
    broken = list(check_events(root))
    yield from broken
    if not broken:
        yield from check_contracts(root)
    yield from check_http(root)


def prove(root):
    """Each breakage: a file, what is replaced in it, and a word that the finding must have."""
    events = "schemas/events/"
    breakages = [
        (events + "social-graph.yaml", "      to: {kind: account_id", "      whom: {kind: account_id", "feed relies on"),
        (events + "projects.yaml", "      first: {kind: boolean", "      first: {kind: string", "scoring relies on"),
        (events + "feed.yaml", "      liked_at: time\n", "", "liked_at of MomentLiked version 1 was time"),
        (events + "feed.yaml", "      liked_at: time", "      liked_at: day", "is described as day"),
        (events + "feed.yaml", "      liked_at: time", "      liked_at: time\n      mood: string", "mood of MomentLiked"),
        (events + "feed.yaml", "edit: {kind: integer, min: 1", "edit: {kind: integer, min: 3", "a stored MomentEdited is refused"),
        (events + "feed.yaml", "  TimelineSeen:", "  TimelineLookedAt:", "not described any more"),
        (events + "feed.yaml", "liked_at: time", "liked_at: {kind: time, since: 2}", "say what it is `before`"),
        (events + "feed.yaml", "liked_at: time", "liked_at: {kind: time, since: 3, before: null}", "no MomentLiked of version 3"),
        (events + "accounts.yaml", "      department: string\n", "", "department of Profile version 1 was string"),
        (events + "accounts.yaml", "      sex: Sex", "      sex: Sex\n      place: string", "place of Profile"),
        (events + "accounts.yaml", "sex: Sex", "sex: Sex\n      place: {kind: string, since: 9, before: ''}", "no Profile of version 9"),
        (events + "feed.yaml", "like: like-<", "like: moment-<", "begins with moment, too"),
        (events + "feed.yaml", "<moment_id moment_id>-<account_id account_id>", "<day moment_id>-<account_id account_id>", "must come last"),
        (events + "accounts.yaml", "<id session_id>", "<string session_id>", "no part of an id"),
        (events + "projects.yaml", "<account_id voter>", "<id voter>", "voter is id, and account_id in VoteCast"),
        (events + "projects.yaml", "    stream: vote\n", "    stream: votes\n", "is of a stream that is not described"),
        (events + "projects.yaml", "  vote: vote-", "  ballot: ballot-<id project_id>\n  vote: vote-", "has no events"),
        ("schemas/golden/feed.jsonl", "partly-visible", "partly-invisible", "was edited"),
        ("schemas/contracts/feed/social-graph.json", '"ContactAccepted"', '"ContactMade"', "which is not described"),
        ("schemas/contracts/accounts/scoring.json", '"day_contributions": [5', '"day_contributions": [-5', "example of"),
        ("schemas/states/scoring/Score.v1.json", '"as_of"', '"published_on"', "relies on fields"),
        ("schemas/asyncapi.yaml", "MomentPublished", "MomentWritten", "asyncapi.yaml is not what the events say"),
        ("schemas/http/feed.yaml", "/v1/timeline", "/v1/timelines", "is routed to"),
        ("schemas/http/projects.yaml", "schemas/Comment'", "schemas/Remark'", "leads nowhere"),
    ]
    return list(breakage.unseen(root, breakages, findings))


def main():
    root = pathlib.Path(sys.argv[1])
    found = prove(root) if "--prove" in sys.argv else list(findings(root))
    for line in found:
        print(line)
    print(f"{len(found)} findings")
    sys.exit(1 if found else 0)


main()
