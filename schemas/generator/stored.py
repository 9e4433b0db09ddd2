"""stored_events.hpp and .cpp of a service or library: encoders, decoders, and the readers of namespace read."""

import json

from cpp import current_members, foreign_readers, own_readers, read_expression, struct
from model import Part, SchemaError, pascal, snake

EVENTSOURCING = "tideline::eventsourcing"


def write_value(variable, field):
    member = f"{variable}.{field.member}"
    if field.made_of:
        member = f"MessageKey{{{', '.join(f'{variable}.{of}' for of in field.made_of)}}}"
    return f"stored_value({member})"


def author_of(event, field, variable):
    """The member, in C++, under whose key the field is sealed."""
    author = event.field(field.get("by"))
    if author is None:
        raise SchemaError(f"{field.owner}.{field.name} is sealed by {field.get('by')}, which is no field")
    for part in event.members:
        if isinstance(part, Part) and author in part.fields:
            return f"{variable}.{part.member}.{author.member}"
    return f"{variable}.{author.member}"


def encoder(event, qualified):
    entries = []
    for member in event.members:
        fields = member.fields if isinstance(member, Part) else [member]
        variable = f"event.{member.member}" if isinstance(member, Part) else "event"
        for field in fields:
            if field.until is not None:
                continue
            value = write_value(variable, field)
            if field.index_of:
                value = f'index_texts(sealer, {variable}.{field.index_of}, "{field.get("context")}")'
            if field.sealed:
                plain = f"{variable}.{field.member}"
                if field.get("holds"):
                    plain = f"{snake(field.get('holds'))}_to_json({plain})"
                value = f'sealed_text(sealer, {author_of(event, field, "event")}, {plain}, "{field.get("context")}")'
            entries.append(f"      {{{json.dumps(field.name)}, {value}}},")
    sealer = "sealer" if any(field.sealed for field in event.fields) else ""
    return (f"std::string Stored<{qualified}>::encode(const {qualified}& event, TextSealer& {sealer}) {{\n"
            "  return nlohmann::json{\n" + "\n".join(entries) + "\n  }.dump();\n}")


def decoder(service, event, qualified, alias):
    """Reads the sealed form and opens what is sealed."""
    sealed = [member for member in current_members(event) if not isinstance(member, Part) and member.sealed]
    lines = [f"{qualified} Stored<{qualified}>::decode(const EventData& data, TextSealer& "
             f"{'sealer' if sealed else ''}) {{"]
    if alias:
        lines.append(f"  return Stored<{qualified}>::read(data);")
        return "\n".join([*lines, "}"])
    read = qualified.replace("::" + event.name, "::read::" + event.name)
    lines.append(f"  auto read = Stored<{read}>::read(data);")
    values = []
    for member in current_members(event):
        if isinstance(member, Part) or not member.sealed:
            values.append(f"std::move(read.{member.member})")
            continue
        by = author_of(event, member, "read")
        opened = f'opened_text(sealer, {by}, read.sealed_{member.member}, "{member.get("context")}")'
        if member.get("holds"):
            holds = service.namespace.removeprefix("tideline::") + "::" + snake(member.get("holds"))
            opened = f"opened_object({opened}, {holds}_from_json)"
        lines.append(f"  auto {member.member} = {opened};")
        values.append(f"std::move({member.member})")
    lines.append(f"  return {{{', '.join(values)}}};")
    return "\n".join([*lines, "}"])


def traits(qualified, event, own, reads):
    """The specialization of Stored; `own`: it is encoded and decoded; `reads`: it is read as it lies there."""
    lines = [f"template <>\nstruct Stored<{qualified}> {{",
             f'  static constexpr std::string_view kSource = "{event.service}";',
             f'  static constexpr std::string_view kType = "{event.name}";']
    if own:
        visibility = "Private" if event.private else "Public"
        lines += [f"  static constexpr std::uint32_t kSchemaVersion = {event.version};",
                  f"  static constexpr Visibility kVisibility = Visibility::{visibility};",
                  f"  static std::string encode(const {qualified}& event, TextSealer& sealer);",
                  f"  static {qualified} decode(const EventData& data, TextSealer& sealer);"]
        lines += [f'  static constexpr std::string_view k{pascal(field.member)}Context = "{field.get("context")}";'
                  for field in event.fields if field.get("context")]
    if reads:
        lines.append(f"  static {qualified} read(const EventData& data);")
    return "\n".join([*lines, "};"])


def reader_text(qualified, reader, namespace):
    values = ",\n          ".join(reader.expressions)
    return (f"{qualified} Stored<{qualified}>::read(const EventData& data) {{\n"
            f"  using namespace {namespace};\n  return {{{values}}};\n}}")


def object_text(service, of):
    variable = snake(of.name)
    entries = "\n".join(f"      {{{json.dumps(field.name)}, {object_value(service, variable, field)}}},"
                        for field in of.fields)
    values = ", ".join(read_expression(service, field) for field in of.fields)
    return (f"std::string {variable}_to_json(const {of.name}& {variable}) {{\n"
            f"  using eventsourcing::stored_value;\n  return nlohmann::json{{\n{entries}\n  }}.dump();\n}}\n\n"
            f"std::optional<{of.name}> {variable}_from_json(std::string_view text) {{\n"
            f"  return eventsourcing::read_object<{of.name}>(text, [](const eventsourcing::EventData& data) {{\n"
            f"    return {of.name}{{{values}}};\n  }});\n}}")


def object_value(service, variable, field):
    if field.kind in service.enums and service.enums[field.kind].numbers:
        return f"static_cast<unsigned>({variable}.{field.member})"
    return f"stored_value({variable}.{field.member})"


class Unit:
    """One pair of files: of a service with its own events, or of a library that only consumes."""

    def __init__(self, name, service, contracts, services):
        self.name, self.service = name, service
        self.namespace = "tideline::" + name.replace("-", "_")
        self.short = self.namespace.removeprefix("tideline::")
        self.own = list(own_readers(service)) if service else []
        self.foreign = list(foreign_readers(name, contracts, services))
        taken = {reader.name for reader in self.own} | {event.name for event in
                                                        (service.events.values() if service else [])}
        for reader in self.foreign:
            if reader.name in taken:
                raise SchemaError(f"{name} consumes two events that are called {reader.name}")
            taken.add(reader.name)

    def header(self):
        parts = [f"// The stored events of {self.name}, its own and those of its contracts. Generated from",
                 "// schemas/events and schemas/contracts.", "#pragma once\n",
                 "#include <variant>\n",
                 '#include "core/time_ordered_id.hpp"', '#include "eventsourcing/events/position_vector.hpp"',
                 '#include "eventsourcing/events/stored.hpp"']
        if self.service:
            parts.append(f'#include "{self.name}/events.hpp"')
        parts.append(f"\nnamespace {self.namespace}::read {{\n")
        for reader in [*self.own, *self.foreign]:
            parts.append(f"using {self.short}::{reader.name};" if reader.alias
                         else struct(reader.producer, reader.name, reader.members))
        parts.append(f"\n}}  // namespace {self.namespace}::read\n")
        if self.own:
            names = ", ".join(reader.name for reader in self.own)
            parts += [f"namespace {self.namespace} {{\n", "// For whoever decodes any event of the service.",
                      f"struct EveryEvent {{\n  using Event = std::variant<{names}>;\n}};\n",
                      f"}}  // namespace {self.namespace}\n"]
        parts.append(f"namespace {EVENTSOURCING} {{\n")
        for reader in self.own:
            parts.append(traits(f"{self.short}::{reader.name}", reader.event, own=True, reads=reader.alias))
            if not reader.alias:
                parts.append(traits(f"{self.short}::read::{reader.name}", reader.event, own=False, reads=True))
        for reader in self.foreign:
            parts.append(traits(f"{self.short}::read::{reader.name}", reader.event, own=False, reads=True))
        parts.append(f"\n}}  // namespace {EVENTSOURCING}\n")
        return "\n".join(parts)

    def source(self):
        parts = [f'#include "{self.name}/stored_events.hpp"\n', "#include <nlohmann/json.hpp>",
                 "#include <utility>\n", '#include "eventsourcing/events/stored_json.hpp"\n']
        if self.service and self.service.objects:
            parts.append(f"namespace {self.namespace} {{\n")
            parts += [object_text(self.service, of) + "\n" for of in self.service.objects.values() if not of.by_hand]
            parts.append(f"}}  // namespace {self.namespace}\n")
        parts.append(f"namespace {EVENTSOURCING} {{\n")
        for reader in self.own:
            qualified = f"{self.short}::{reader.name}"
            read = qualified if reader.alias else f"{self.short}::read::{reader.name}"
            parts.append(reader_text(read, reader, self.short) + "\n")
            parts.append(encoder(reader.event, qualified).replace(
                "  return nlohmann", f"  using namespace {self.short};\n  return nlohmann", 1) + "\n")
            parts.append(decoder(self.service, reader.event, qualified, reader.alias) + "\n")
        for reader in self.foreign:
            parts.append(reader_text(f"{self.short}::read::{reader.name}", reader, self.short) + "\n")
        parts.append(f"}}  // namespace {EVENTSOURCING}\n")
        return "\n".join(parts)
