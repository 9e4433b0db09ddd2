"""schemas/golden/<service>.jsonl: every version of every event, and of every object that lies sealed in one, as bytes
that were stored once. Lines are only added.

A line holds `type` of an event or `object` of an object, `version`, `fields` (name -> kind, as that version had them),
`data` (the bytes; of an object those that are sealed) and `chain`, the SHA-256 of the line before and of this one: an
edited line breaks every chain behind it."""

import hashlib
import json

import json_schema
import jsonschema


def link(before, line):
    kept = {key: value for key, value in line.items() if key != "chain"}
    return hashlib.sha256((before + json.dumps(kept, sort_keys=True)).encode()).hexdigest()


def shape(event, version):
    return {field.name: field.full_kind + ("?" if field.get("optional") else "") for field in event.fields_in(version)}


def read(schemas, service):
    file = schemas / "golden" / f"{service}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def add(schemas, service, event, version, data):
    """Appends one event or object; findings() tells whether it is one of that version."""
    lines = read(schemas, service.name)
    line = {"type" if event.name in service.events else "object": event.name, "version": version, "fields": shape(event, version), "data": data}
    line["chain"] = link(lines[-1]["chain"] if lines else "", line)
    with open(schemas / "golden" / f"{service.name}.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def findings(schemas, services):
    """What keeps old events from being read, as sentences."""
    for service in services.values():
        lines = read(schemas, service.name)
        chain, covered = "", set()
        for number, line in enumerate(lines, 1):
            place = f"golden/{service.name}.jsonl:{number}"
            chain = link(chain, line)
            if line["chain"] != chain:
                yield f"{place} was edited: golden events are only added"
                return
            name = line.get("type") or line["object"]
            event = service.stored.get(name)
            if event is None or event.version < line["version"]:
                yield f"{place}: {name} of version {line['version']} was stored and is not described any more"
                continue
            covered.add((event.name, line["version"]))
            yield from _changed(place, event, line)
            schema = json_schema.data_schema(service, event, line["version"])
            for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads(line["data"])):
                yield f"{place}: a stored {event.name} is refused: {error.message}"
        for event in service.stored.values():
            for version in range(1, event.version + 1):
                if (event.name, version) not in covered:
                    yield f"golden/{service.name}.jsonl has no {event.name} of version {version}"


def _changed(place, event, line):
    now = shape(event, line["version"])
    for name in sorted(set(line["fields"]) | set(now)):
        before, after = line["fields"].get(name), now.get(name)
        if before != after:
            yield (f"{place}: field {name} of {event.name} version {line['version']} was {before or 'not there'} "
                   f"and is described as {after or 'not there'}: give it another version")
