"""stream_keys.hpp of a service: one function for each of its streams, and the same for a property test."""

# Of each kind that may be part of a stream's id: the parameter, and its text.
PARAMETERS = {
    "account_id": ("const core::AccountId& {}", "{}.to_string()"),
    "id": ("std::string_view {}", "core::id_part({})"),
    "moment_id": ("core::MomentId {}", "core::to_string({})"),
    "comment_id": ("core::CommentId {}", "core::to_string({})"),
    "integer": ("std::int64_t {}", "std::to_string({})"),
    "day": ("core::Day {}", "core::format_day({})"),
    "time": ("core::Timestamp {}", "core::format_iso8601({})"),
}
TEST_VALUES = {
    "account_id": "with.account()", "id": "with.id()", "moment_id": "with.number<core::MomentId>()",
    "comment_id": "with.number<core::CommentId>()", "integer": "with.integer()", "day": "with.day()", "time": "with.time()",
}


def builder(stream):
    parameters = ", ".join(PARAMETERS[kind][0].format(name) for kind, name in stream.parts)
    texts = ", ".join([f'"{stream.word}"', *(PARAMETERS[kind][1].format(name) for kind, name in stream.parts)])
    body = f"  return core::stream_key({{{texts}}});\n"
    if stream.is_sorted:
        (_, one), (_, other) = stream.parts
        body = (f'  CHECK({one} != {other}, "two different ones");\n'
                f"  if ({other} < {one}) return {stream.name}({other}, {one});\n{body}")
    return f"// {stream.text}\ninline core::StreamId {stream.name}({parameters}) {{\n{body}}}\n"


def header(service):
    lines = [f"// The streams of {service.name} (core/stream_key.hpp). Generated from schemas/events/{service.name}.yaml.",
             "#pragma once\n", "#include <cstdint>", "#include <string>", "#include <string_view>\n", '#include "core/check.hpp"', '#include "core/clock.hpp"',
             '#include "core/ids.hpp"', '#include "core/stream_key.hpp"', '#include "core/time_ordered_id.hpp"\n',
             f"namespace {service.namespace}::keys {{\n"]
    lines += [builder(stream) for stream in service.streams.values()]
    return "\n".join([*lines, f"}}  // namespace {service.namespace}::keys\n"])


def test_builder(stream):
    values = "".join(f"        const auto {name} = {TEST_VALUES[kind]};\n" for kind, name in stream.parts)
    call = f"keys::{stream.name}({', '.join(name for _, name in stream.parts)})"
    with_ = "KeyArguments& with" if stream.parts else "KeyArguments&"
    return f"      []({with_}) {{\n{values}        return {call};\n      }},"


def testing_header(service):
    """Sorted pairs are left out: two calls of theirs give one stream on purpose."""
    builders = [test_builder(stream) for stream in service.streams.values() if not stream.is_sorted]
    return "\n".join([
        f"// All builders of {service.name}/stream_keys.hpp, for their property test. Generated.", "#pragma once\n",
        '#include "core/testing/injective_keys.hpp"', f'#include "{service.name}/stream_keys.hpp"\n',
        f"namespace {service.namespace}::testing {{\n", "inline core::testing::KeyBuilders key_builders() {",
        "  using core::testing::KeyArguments;", "  return {", *builders, "  };", "}\n",
        f"}}  // namespace {service.namespace}::testing\n"])
