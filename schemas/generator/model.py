"""The events of a service, as schemas/events/<service>.yaml describes them. See schemas/events/README.md."""

import pathlib
import re

import yaml

# Kinds whose values are JSON texts: a contract may call any of them a string.
TEXT_KINDS = {"string", "sha256", "account_id", "id", "moment_id", "comment_id", "message_key", "time", "day",
              "position_token", "sealed"}
PLAIN_KINDS = TEXT_KINDS | {"integer", "boolean"}
FIELD_KEYS = {"kind", "about", "as", "cpp", "min", "max", "min_items", "max_items", "min_length", "max_length",
              "by", "context", "holds", "made_of", "index_of", "since", "before", "before_in", "until", "moved_to",
              "optional"}


class SchemaError(Exception):
    """A description that says something impossible; the text is for who wrote it."""


class Field:
    """One field of an event's data. `kind` is without its prefix nullable- and its suffix []."""

    def __init__(self, owner, name, described, of_object=False):
        described = {"kind": described} if isinstance(described, str) else dict(described)
        unknown = set(described) - FIELD_KEYS
        if unknown:
            raise SchemaError(f"{owner}.{name} has unknown keys {sorted(unknown)}")
        self.owner, self.name, self.described = owner, name, described
        self.of_object = of_object  # an object has no version of its own: what it lacks is older than the field
        self.full_kind = described["kind"]
        self.nullable = self.full_kind.startswith("nullable-")
        self.list = self.full_kind.endswith("[]")
        self.kind = self.full_kind.removeprefix("nullable-").removesuffix("[]")
        self.member = described.get("as", name)
        self.since = described.get("since", 1)
        self.until = described.get("until")
        self.moved = described.get("moved_to") == "metadata"
        self.made_of = described.get("made_of")
        self.index_of = described.get("index_of")
        self.older = None  # the field that held the value in clear in older versions, when `before_in` names one
        if self.since > 1 and not {"before", "before_in"} & set(described):
            raise SchemaError(f"{owner}.{name} exists since version {self.since}: say what it is `before`")
        if self.index_of and "context" not in described:
            raise SchemaError(f"{owner}.{name} is an index: say in which `context`")
        if self.kind == "sealed" and not {"by", "context"} <= set(described):
            raise SchemaError(f"{owner}.{name} is sealed: say `by` whose key and in which `context`")

    def get(self, key):
        return self.described.get(key)

    @property
    def sealed(self):
        return self.kind == "sealed"

    def exists_in(self, version):
        return self.since <= version and (self.until is None or version <= self.until)


class Part:
    """Fields that lie flat in the data and are one member in C++."""

    def __init__(self, member, type_name, fields):
        self.member, self.type_name, self.fields = member, type_name, fields


def newest_version(fields):
    return max([field.since for field in fields] + [field.until + 1 for field in fields if field.until], default=1)


class Stream:
    """How a stream's id is made: a word of its own, and parts, each with its kind: vote-<id project_id>-<account_id voter>.

    No two calls of a service's builders give one id: words differ, all kinds but days and times are without '-',
    and those come last. Integers are never negative."""

    PART = re.compile(r"-<(\w+) (\w+)>")
    LAST = ("day", "time")

    def __init__(self, service, name, described):
        self.name, self.owner = name, f"{service}: stream {name}"
        described, _, order = described.partition(", ")
        self.is_sorted = order == "sorted"
        self.word = re.match(r"[a-z]*", described).group(0)
        self.parts = self.PART.findall(described)  # (kind, name)
        self.text = self.PART.sub(r"-<\2>", described) + (", the ids sorted" if self.is_sorted else "")
        if not self.word or self.word + "".join(f"-<{kind} {part}>" for kind, part in self.parts) != described:
            raise SchemaError(f"{self.owner} is no word with parts <kind name>")
        for place, (kind, part) in enumerate(self.parts, 1):
            if kind not in ("account_id", "id", "moment_id", "comment_id", "integer", *self.LAST):
                raise SchemaError(f"{self.owner}: {part} is of a kind that is no part of an id, {kind}")
            if kind in self.LAST and place < len(self.parts):
                raise SchemaError(f"{self.owner}: {part} holds '-' and must come last")
        if self.is_sorted and [kind for kind, _ in self.parts] != ["account_id"] * 2:
            raise SchemaError(f"{self.owner}: only two accounts are sorted")


class Event:
    def __init__(self, service, name, described, parts, streams):
        self.service, self.name = service, name
        self.about = described["about"]
        named = described["stream"]
        self.streams = [streams.get(stream) for stream in (named if isinstance(named, list) else [named])]
        if None in self.streams:
            raise SchemaError(f"{service}/{name} is of a stream that is not described: {named}")
        self.private = described.get("private", False)
        self.by_hand = described.get("by_hand", False)
        self.readers_need_seen = "seen" in described.get("readers_need", [])
        self.members = []  # Fields and Parts, in the order of the C++ struct
        for field_name, field in described["data"].items():
            if isinstance(field, dict) and "part" in field:
                if field["part"] not in parts:
                    raise SchemaError(f"{service}/{name} has a part {field['part']}, which is not described")
                self.members.append(Part(field_name, field["part"], parts[field["part"]]))
            else:
                self.members.append(Field(f"{service}/{name}", field_name, field))
        self.version = newest_version(list(self.fields))
        for field in self.fields:
            if field.get("before_in"):
                field.older = self.field(field.get("before_in"))
                if field.older is None or field.older.until != field.since - 1:
                    raise SchemaError(f"{field.owner}.{field.name}: no field {field.get('before_in')} until {field.since - 1}")
        for stream in self.streams:
            for kind, part in stream.parts:
                field = self.field(part)
                if field and field.kind != kind:
                    raise SchemaError(f"{stream.owner}: {part} is {kind}, and {field.kind} in {name}")

    @property
    def fields(self):
        """All of them, of every version, those of parts among them."""
        for member in self.members:
            yield from member.fields if isinstance(member, Part) else [member]

    def fields_in(self, version):
        return [field for field in self.fields if field.exists_in(version)]

    def field(self, name):
        return next((field for field in self.fields if field.name == name), None)

    @property
    def moved_seen(self):
        """Until which version the data held `seen`, which is metadata now; 0: never."""
        return max((field.until for field in self.fields if field.moved), default=0)


class Service:
    """One file. `streams`: name -> Stream; `enums`: name -> Enum; `objects`: name -> list of Field; `events`: name -> Event."""

    def __init__(self, file):
        described = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
        self.name = described["service"]
        if file.stem != self.name:
            raise SchemaError(f"{file.name} describes the events of another service, {self.name}")
        self.includes = described.get("include", [])
        self.own_readers_need_seen = "seen" in described.get("own_readers_need", [])
        self.enums = {name: Enum(name, values) for name, values in described.get("enums", {}).items()}
        self.objects = {name: Object(self.name, name, of) for name, of in described.get("objects", {}).items()}
        self.parts = {name: [Field(f"{self.name}/{name}", field, of) for field, of in fields.items()]
                      for name, fields in described.get("parts", {}).items()}
        self.streams = {name: Stream(self.name, name, of) for name, of in described["streams"].items()}
        self.events = {name: Event(self.name, name, of, self.parts, self.streams)
                       for name, of in described["events"].items()}
        self._check_kinds()
        self._check_streams()

    def _check_kinds(self):
        known = PLAIN_KINDS | set(self.enums) | set(self.objects)
        holders = [*self.events.values(), *self.objects.values()]
        for field in [field for holder in holders for field in holder.fields]:
            if field.kind not in known:
                raise SchemaError(f"{field.owner}.{field.name} is of an unknown kind, {field.kind}")

    def _check_streams(self):
        words = [stream.word for stream in self.streams.values()]
        for stream in self.streams.values():
            if words.count(stream.word) > 1:
                raise SchemaError(f"{stream.owner}: another stream begins with {stream.word}, too")
            if not any(stream in event.streams for event in self.events.values()):
                raise SchemaError(f"{stream.owner} has no events")

    @property
    def namespace(self):
        return "tideline::" + self.name.replace("-", "_")

    @property
    def stored(self):
        """name -> what is stored whole and stays readable: events, and objects that lie sealed in them."""
        held = {field.get("holds") for event in self.events.values() for field in event.fields}
        return {**self.events, **{name: of for name, of in self.objects.items() if name in held}}


class Enum:
    """Values are texts, or names of numbers."""

    def __init__(self, name, described):
        if isinstance(described, dict) and "values" in described:
            values, self.by_hand = described["values"], described.get("by_hand", False)
            self.default = described.get("default", values[0])
        else:
            values, self.by_hand = described, False
            self.default = next(iter(values))
        self.name = name
        self.numbers = dict(values) if isinstance(values, dict) else None
        self.values = list(values)


class Object:
    def __init__(self, service, name, described):
        self.name = name
        self.about = described.get("about", "")
        self.by_hand = described.get("by_hand", False)
        self.fields = [Field(f"{service}/{name}", field, of, of_object=True) for field, of in described["data"].items()]
        self.version = newest_version(self.fields)

    def fields_in(self, version):
        return [field for field in self.fields if field.exists_in(version)]


def pascal(text):
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_ ]", text))


def snake(text):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", text).lower()


def load_services(schemas):
    """name -> Service, of all files of schemas/events."""
    services = [Service(file) for file in sorted(pathlib.Path(schemas, "events").glob("*.yaml"))]
    return {service.name: service for service in services}
