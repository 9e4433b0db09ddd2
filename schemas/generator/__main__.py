"""python3 schemas/generator cpp NAME OUT       events.hpp, stream_keys.hpp and stored_events.* of a service or library, into
                                             OUT/NAME
python3 schemas/generator schemas OUT        OUT/<service>/<Event>.v<version>.json of every version of every event
python3 schemas/generator asyncapi [--check]  writes schemas/asyncapi.yaml, or says whether it is up to date
python3 schemas/generator golden SERVICE EVENT VERSION DATA
                                             adds an event, or an object that lies sealed in one, as it
                                             is stored, to schemas/golden"""

import json
import pathlib
import sys

import asyncapi
import cpp
import json_schema
import stored
import streams
from model import SchemaError, load_services

SCHEMAS = pathlib.Path(__file__).resolve().parent.parent


def read_contracts(consumer):
    return [json.loads(file.read_text()) for file in sorted((SCHEMAS / "contracts" / consumer).glob("*.json"))]


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def write_cpp(name, out):
    services = load_services(SCHEMAS)
    service = services.get(name)
    unit = stored.Unit(name, service, read_contracts(name), services)
    folder = pathlib.Path(out, name)
    if service:
        write(folder / "events.hpp", cpp.events_header(service))
        write(folder / "stream_keys.hpp", streams.header(service))
        write(folder / "testing" / "key_builders.hpp", streams.testing_header(service))
    write(folder / "stored_events.hpp", unit.header())
    write(folder / "stored_events.cpp", unit.source())


def write_schemas(out):
    for service in load_services(SCHEMAS).values():
        for event in service.events.values():
            for version in range(1, event.version + 1):
                schema = json_schema.event_schema(service, event, version)
                write(pathlib.Path(out, service.name, f"{event.name}.v{version}.json"), json.dumps(schema, indent=1))


def write_asyncapi(check):
    text = asyncapi.document(load_services(SCHEMAS))
    file = SCHEMAS / "asyncapi.yaml"
    if not check:
        file.write_text(text)
    elif file.read_text() != text:
        raise SchemaError("asyncapi.yaml is not what the events say: run python3 schemas/generator asyncapi")


def add_golden(name, event_name, version, data):
    import golden  # needs jsonschema, which the build does not

    service = load_services(SCHEMAS)[name]
    golden.add(SCHEMAS, service, service.stored[event_name], int(version), data)


def main(arguments):
    match arguments:
        case ["cpp", name, out]:
            write_cpp(name, out)
        case ["schemas", out]:
            write_schemas(out)
        case ["asyncapi"]:
            write_asyncapi(check=False)
        case ["asyncapi", "--check"]:
            write_asyncapi(check=True)
        case ["golden", name, event_name, version, data]:
            add_golden(name, event_name, version, data)
        case _:
            sys.exit(__doc__)


try:
    main(sys.argv[1:])
except SchemaError as error:
    sys.exit(f"schemas: {error}")
