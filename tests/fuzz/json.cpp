// JSON bodies: what is accepted is bounded, comes back as it was, and can be read field by field.
#include "http/messages/json.hpp"

#include "core/check.hpp"
#include "fuzz/input.hpp"

namespace tideline::http {
namespace {

std::size_t depth_of(const Json& value) {
  std::size_t deepest = 0;
  if (value.is_structured()) {
    for (const Json& inner : value) deepest = std::max(deepest, depth_of(inner));
    ++deepest;
  }
  return deepest;
}

void read_fields(const Json& object) {
  FieldReader fields(object);
  (void)fields.text("t", {1, 8});
  (void)fields.nullable_text("n", {0, 8});
  (void)fields.integer("i", -9, 9);
  (void)fields.optional_decimal("d");
  (void)fields.boolean("b");
  (void)fields.one_of("c", {"public", "private"});
  (void)fields.optional_text_array("a", 4, {1, 8});
  (void)fields.nullable_text_array("m", 4, {1, 8});
  FieldReader inner = fields.object("o");
  (void)inner.optional_integer("i", 0, INT64_MAX);
  for (FieldReader& item : fields.objects("l", 4)) (void)item.optional_text("t", {1, 8});
  CHECK(fields.violations().size() <= 100, "violations are bounded");
  if (const auto problem = fields.problem()) {
    CHECK(!to_response(*problem).body.empty(), "a problem can be shown");
  }
}

}  // namespace
}  // namespace tideline::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  const http::JsonLimits limits{8, 4096};
  const auto parsed = http::parse_json(fuzz::as_text(data, size), limits);
  if (!parsed) {
    CHECK(!parsed.response().body.empty(), "a refusal can be shown");
    return 0;
  }
  CHECK(size <= limits.size_max && http::depth_of(*parsed) <= limits.depth_max, "it is bounded");
  const auto again = http::parse_json(parsed->dump(), {8, 1024 * 1024});
  CHECK(again && *again == *parsed, "what was read can be written and read");
  if (parsed->is_object()) http::read_fields(*parsed);
  return 0;
}
