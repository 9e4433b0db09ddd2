"""asyncapi.yaml: topics.yaml, and every event of each service with its JSON Schema."""

import pathlib

import json_schema
import yaml

TOPICS = pathlib.Path(__file__).resolve().parent.parent / "topics.yaml"
HEAD = "# Generated from schemas/topics.yaml and schemas/events: python3 schemas/generator asyncapi\n"


def _key(name):
    return name.replace("-", "_")


def _channel(service):
    messages = {name: {"$ref": f"#/components/messages/{_key(service.name)}.{name}"} for name in service.events}
    return {"address": f"tideline.{service.name}", "description": f"Events of {service.name}.", "messages": messages}


def _operation(service):
    return {"action": "send", "channel": {"$ref": f"#/channels/{_key(service.name)}"},
            "summary": f"The relay of {service.name} publishes its log."}


def _message(service, event):
    schema = json_schema.event_schema(service, event, event.version)
    summary = schema.pop("description")
    for key in ("$schema", "title"):
        schema.pop(key)
    message = {"name": event.name, "summary": summary, "x-schema-version": event.version, "payload": schema}
    if event.private:
        message["description"] = "Private: the topic has a stub without data."
    return message


def document(services):
    described = yaml.load(TOPICS.read_text(), Loader=yaml.CSafeLoader)
    states = described.pop("channels")
    described["channels"] = {_key(name): _channel(service) for name, service in services.items()} | states
    described["operations"] = {f"publish_{_key(name)}": _operation(service) for name, service in services.items()}
    described["components"] = {"messages": {
        f"{_key(service.name)}.{event.name}": _message(service, event)
        for service in services.values() for event in service.events.values()}}

    class Dumper(yaml.CSafeDumper):
        ignore_aliases = staticmethod(lambda data: True)

    return HEAD + yaml.dump(described, Dumper=Dumper, sort_keys=False, width=118, allow_unicode=True)
