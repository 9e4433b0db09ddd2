"""C++ of a service's events: what the domain sees (events.hpp), and how it is stored and read (stored_events)."""

import copy
import json

from model import TEXT_KINDS, Part, SchemaError, pascal, snake

CPP_TYPES = {
    "string": "std::string", "sha256": "std::string", "position_token": "std::string", "sealed": "std::string",
    "id": "std::string", "account_id": "core::AccountId", "moment_id": "core::MomentId",
    "comment_id": "core::CommentId", "message_key": "MessageKey", "time": "core::Timestamp", "day": "core::Day",
    "integer": "std::int64_t", "boolean": "bool",
}
# The method of EventData that reads one value, a nullable one, and a list.
READERS = {
    "string": ("text", "nullable_text", "texts"), "sha256": ("text", "nullable_text", "texts"),
    "sealed": ("text", None, None),
    # An id is checked where it may name a stream or a row; others only refer to what may not exist.
    "id": ("id", "nullable_text", "texts"),
    "account_id": ("account", "nullable_account", "accounts"), "time": ("time", None, None),
    "day": ("day", None, None), "boolean": ("boolean", None, None), "integer": ("integer", "nullable_integer", None),
}
PARSERS = {"moment_id": "core::parse_moment_id", "comment_id": "core::parse_comment_id",
           "message_key": "parse_message_key"}


def cpp_type(service, field):
    if field.get("holds"):
        return field.get("holds")
    one = field.get("cpp") or CPP_TYPES.get(field.kind) or field.kind
    if field.list:
        return f"std::vector<{one}>"
    return f"std::optional<{one}>" if field.nullable else one


def initializer(service, field):
    if field.list or field.nullable:
        return "{}"  # so that whoever lists the older members need not name a new one
    if field.kind in service.enums:
        return f" = {field.kind}::{pascal(service.enums[field.kind].default)}"
    return {"integer": " = 0", "boolean": " = false"}.get(field.kind, "")


def read_expression(service, field, kind=None):
    """How EventData `data` gives the field of the version that it has; as `kind` where a contract asks for less."""
    name = json.dumps(field.name)
    which = 2 if field.list else 1 if field.nullable else 0
    if field.kind in service.enums and service.enums[field.kind].numbers:
        expression = f"data.parsed_number({name}, parse_{snake(field.kind)})"
    elif field.kind in PARSERS or field.kind in service.enums:
        parser = PARSERS.get(field.kind) or f"parse_{snake(field.kind)}"
        expression = f"data.{('parsed', 'nullable_parsed', 'parsed_list')[which]}({name}, {parser})"
    else:
        reader = READERS[kind if kind in READERS else field.kind][which]
        if reader is None:
            raise SchemaError(f"{field.owner}.{field.name}: no reader of {field.full_kind}")
        limits = [str(field.get(limit)) for limit in ("min", "max") if field.get(limit) is not None]
        # A limit is a promise of the writer; only what C++ could not hold is refused by a reader.
        bounds = ", " + ", ".join(limits) if field.get("cpp") and len(limits) == 2 else ""
        expression = f"data.{reader}({name}{bounds})"
        if field.get("cpp"):
            expression = f"static_cast<{field.get('cpp')}>({expression})"
    if field.get("optional"):
        expression = f"data.has({name}) ? {expression} : {cpp_type(service, field)}{{}}"
    if field.since > 1:
        older = f"!data.has({name})" if field.of_object else f"data.version() < {field.since}"
        before = older_expression(service, field) if field.older else literal(service, field)
        expression = f"{older} ? {before} : {expression}"
    return expression


def older_expression(service, field):
    """What an older event has in another field. A sealed field's is in clear there, and is given as an unsealed text."""
    older = read_expression(service, field.older)
    if not field.sealed:
        return older
    holds = field.get("holds")
    return f"unsealed({snake(holds)}_to_json({holds}{{{older}}}))" if holds else f"unsealed({older})"


def literal(service, field):
    """What the field was before it existed."""
    value, of = field.get("before"), cpp_type(service, field)
    if value is None or value == []:
        return f"{of}{{}}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if field.kind in service.enums:
        return f"{of}::{pascal(value)}"
    if field.kind == "time":
        return f"core::parse_iso8601({json.dumps(value)}).value()"
    return f"{of}({json.dumps(value)})"


def struct(service, name, members, about=""):
    """`members`: (type, member, initializer, comment)"""
    lines = [f"// {about}"] if about else []
    lines.append(f"struct {name} {{")
    for of, member, start, comment in members:
        lines.append(f"  {of} {member}{start};" + (f"  // {comment}" if comment else ""))
    lines.append(f"\n  friend bool operator==(const {name}&, const {name}&) = default;")
    return "\n".join([*lines, "};"])


def field_member(service, field, sealed=False):
    if sealed and field.sealed:
        return ("std::string", f"sealed_{field.member}", "", "")
    comment = field.get("about") or ("personal: sealed where it is stored" if field.sealed else "")
    return (cpp_type(service, field), field.member, initializer(service, field), comment)


def current_members(event):
    """Fields and parts of the current version that are members in C++."""
    for member in event.members:
        if isinstance(member, Part) or (member.until is None and not member.made_of and not member.index_of):
            yield member


def enum_text(enum):
    name, variable = enum.name, snake(enum.name)
    if enum.numbers:
        entries = ", ".join(f"{pascal(value)} = {number}" for value, number in enum.numbers.items())
        known = " || ".join(f"number == {number}" for number in enum.numbers.values())
        return (f"enum class {name} : std::uint8_t {{ {entries} }};\n"
                f"constexpr std::optional<{name}> parse_{variable}(std::int64_t number) {{\n"
                f"  if ({known}) return static_cast<{name}>(number);\n  return std::nullopt;\n}}")
    entries = ", ".join(pascal(value) for value in enum.values)
    cases = "\n".join(f'    case {name}::{pascal(value)}: return "{value}";' for value in enum.values)
    tests = "\n".join(f'  if (text == "{value}") return {name}::{pascal(value)};' for value in enum.values)
    return (f"enum class {name} : std::uint8_t {{ {entries} }};\n"
            f"constexpr std::string_view to_string({name} value) {{\n  switch (value) {{\n{cases}\n  }}\n"
            f'  return "";\n}}\n'
            f"constexpr std::optional<{name}> parse_{variable}(std::string_view text) {{\n{tests}\n"
            f"  return std::nullopt;\n}}")


def events_header(service):
    """Enums, objects, parts and events, for the domain: values without behaviour."""
    parts = [f"// The events of {service.name}. Generated from schemas/events/{service.name}.yaml.",
             "#pragma once\n", "#include <cstdint>\n#include <optional>\n#include <string>\n#include <string_view>",
             "#include <vector>\n", '#include "core/clock.hpp"\n#include "core/ids.hpp"\n#include "core/time_ordered_id.hpp"']
    parts += [f'#include "{include}"' for include in service.includes]
    parts.append(f"\nnamespace {service.namespace} {{\n")
    parts += [enum_text(enum) + "\n" for enum in service.enums.values() if not enum.by_hand]
    for of in service.objects.values():
        if of.by_hand:
            continue
        parts.append(struct(service, of.name, [field_member(service, field) for field in of.fields], of.about))
        variable = snake(of.name)
        parts.append(f"// The form in which it is sealed. nullopt: no text that {variable}_to_json would write.")
        parts.append(f"std::string {variable}_to_json(const {of.name}& {variable});")
        parts.append(f"std::optional<{of.name}> {variable}_from_json(std::string_view text);\n")
    for name, fields in service.parts.items():
        parts.append(struct(service, name, [field_member(service, field) for field in fields]) + "\n")
    for event in service.events.values():
        if event.by_hand:
            continue
        members = [(member.type_name, member.member, "", "") if isinstance(member, Part)
                   else field_member(service, member) for member in current_members(event)]
        parts.append(struct(service, event.name, members, event.about.strip()) + "\n")
    parts.append(f"}}  // namespace {service.namespace}\n")
    return "\n".join(parts)


class Reader:
    """A struct of namespace read, and where its members come from."""

    def __init__(self, producer, event, members, expressions, alias=False):
        self.producer, self.event, self.alias = producer, event, alias
        self.members, self.expressions = members, expressions

    @property
    def name(self):
        return self.event.name


def part_expression(service, part):
    return f"{part.type_name}{{{', '.join(read_expression(service, field) for field in part.fields)}}}"


def own_readers(service):
    """Events of the service as its own read models see them: personal text stays sealed."""
    for event in service.events.values():
        if event.by_hand:
            continue
        needs_seen = bool(service.own_readers_need_seen and (event.moved_seen or event.readers_need_seen))
        members, expressions = [], []
        for member in current_members(event):
            if isinstance(member, Part):
                members.append((member.type_name, member.member, "", ""))
                expressions.append(part_expression(service, member))
            else:
                members.append(field_member(service, member, sealed=True))
                expressions.append(read_expression(service, member))
        for index in [field for field in event.fields if field.index_of]:
            members.append(field_member(service, index))
            expressions.append(read_expression(service, index))
        if needs_seen:
            add_seen(event, members, expressions)
        alias = not needs_seen and not any(field.sealed for field in event.fields)
        yield Reader(service, event, members, expressions, alias)


def add_seen(event, members, expressions):
    members.append(("eventsourcing::PositionVector", "seen", "{}", "what its writer had seen"))
    expressions.append(f"data.seen({event.moved_seen})")


def promised_field(consumer, producer, event, name, kind):
    """The field that a contract names; SchemaError where the producer does not have it so."""
    field = event.field(name)
    place = f"schemas/events/{producer.name}.yaml"
    if field is None or field.until is not None:
        raise SchemaError(f"{consumer} relies on {producer.name}/{event.name}.{name}, which {place} does not have")
    plain = {**{enum: "string" for enum in producer.enums}, **{text: text for text in TEXT_KINDS}}
    base = plain.get(field.kind, field.kind)
    actual = {field.full_kind, field.full_kind.replace(field.kind, base)}
    if base in TEXT_KINDS:
        actual.add(field.full_kind.replace(field.kind, "string"))
    if kind not in actual:
        raise SchemaError(f"{consumer} relies on {producer.name}/{event.name}.{name} as {kind}, "
                          f"but {place} says {field.full_kind}")
    return field


def as_text(field):
    text = copy.copy(field)
    text.kind, text.full_kind = "string", field.full_kind.replace(field.kind, "string")
    return text


def foreign_readers(consumer, contracts, services):
    """What the contracts of a consumer name, and nothing else."""
    for contract in contracts:
        producer = services.get(contract["producer"])
        for promised in contract["events"]:
            event = producer.events.get(promised["type"]) if producer else None
            if event is None:
                raise SchemaError(f"{consumer} relies on {contract['producer']}/{promised['type']}, "
                                  "which is not described")
            members, expressions = [], []
            for name, kind in promised["fields"].items():
                field = promised_field(consumer, producer, event, name, kind)
                if field.kind in producer.enums and kind == field.full_kind.replace(field.kind, "string"):
                    field = as_text(field)  # an enum of the producer's is none of its readers'
                members.append(field_member(producer, field, sealed=True)[:3] + ("",))
                expressions.append(read_expression(producer, field, kind))
            if "seen" in promised.get("metadata", []):
                if not event.moved_seen:
                    members.append(("eventsourcing::PositionVector", "seen", "{}", ""))
                    expressions.append("data.seen(0)")
                else:
                    add_seen(event, members, expressions)
            yield Reader(producer, event, members, expressions)
