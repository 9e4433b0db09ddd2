// Strict reading of JSON request bodies.
//
// parse_json refuses what two parsers could understand differently; FieldReader turns an object
// into typed values and collects every violation, so that a client learns all of them at once.
// Lengths are counted in Unicode code points after NFC normalisation.
//
// Threads: plain values, one thread each. Nothing here blocks or throws.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/messages/problem.hpp"

namespace tideline::http {

struct JsonLimits {
  std::size_t depth_max = 32;          // nested arrays and objects; deeper is 400
  std::size_t size_max = 1024 * 1024;  // bytes of text; larger is 413
};

// Refuses (400): syntax errors, duplicate keys, invalid UTF-8 and lone surrogates, the code point
// U+0000 anywhere, numbers out of range, bytes after the value. Strings and keys come out
// NFC-normalised (two keys that become equal by it are duplicates).
Parsed<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// The request's body as a JSON object: 415 unless Content-Type is application/json, 400 as
// parse_json, 422 when the value is not an object.
Parsed<Json> read_json_object(const Request& request, const JsonLimits& limits = {});

// NFC form; nothing for invalid UTF-8 or more than 30 combining marks in a row (UAX 15
// stream-safe).
std::optional<std::string> normalise_nfc(std::string_view text);
// CHECKs that the text is valid UTF-8.
std::size_t count_code_points(std::string_view text);
bool is_valid_utf8(std::string_view text);

struct Length {
  std::size_t min;
  std::size_t max;  // both inclusive, code points
};

// Reads the members of one JSON object, which must outlive the reader.
//
//   FieldReader fields(*body);
//   auto content = fields.text("content", {1, 2000});
//   auto images = fields.optional_text_array("images", 9, {1, 64});
//   fields.check();
//
// - name(...):          required; missing or null is a violation, and a neutral value is returned
//                       ("" / 0 / false / first choice / []), never to be used before check().
// - optional_name(...): missing and null both mean "none".
// - nullable_name(...): for PATCH: outer nullopt = missing (leave as it is), inner nullopt = null
//                       (clear it).
// Members that were never asked for are violations ("is not a known field"), in nested objects too.
class FieldReader {
 public:
  explicit FieldReader(const Json& object);

  std::string text(std::string_view name, Length length);
  std::optional<std::string> optional_text(std::string_view name, Length length);
  std::optional<std::optional<std::string>> nullable_text(std::string_view name, Length length);

  // JSON Schema's integers: 1.0 is one, "1" is a violation.
  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t min,
                                               std::int64_t max);

  // A 64-bit id, which HTTP carries as a string of decimal digits without leading zeros.
  std::uint64_t decimal(std::string_view name);
  std::optional<std::uint64_t> optional_decimal(std::string_view name);

  bool boolean(std::string_view name);
  std::optional<bool> optional_boolean(std::string_view name);

  std::string one_of(std::string_view name, std::initializer_list<std::string_view> choices);
  std::optional<std::string> optional_one_of(std::string_view name,
                                             std::initializer_list<std::string_view> choices);

  // Required and optional arrays of strings; of the optional one missing and null both mean [].
  std::vector<std::string> text_array(std::string_view name, std::size_t items_max, Length length);
  std::vector<std::string> optional_text_array(std::string_view name, std::size_t items_max,
                                               Length length);
  // For PATCH: nullopt = missing; null = [].
  std::optional<std::vector<std::string>> nullable_text_array(std::string_view name,
                                                              std::size_t items_max, Length length);

  // A nested object; its violations are collected here. Reads as empty when missing or no object.
  FieldReader object(std::string_view name);
  std::vector<FieldReader> objects(std::string_view name, std::size_t items_max);

  // A rule of the caller's own about a member ("" = about the whole object).
  void violate(std::string_view name, std::string detail);
  [[nodiscard]] bool has(std::string_view name) const;  // present, be it null

  // All violations so far, with unknown members: ask once, on the outermost reader, at the end.
  [[nodiscard]] std::vector<Violation> violations() const;
  // 422 with errors:[{pointer, detail}], or nothing when all is well.
  [[nodiscard]] std::optional<Problem> problem() const;
  // Refuses with it.
  void check() const;

 private:
  struct Report;
  struct Node;
  FieldReader(std::shared_ptr<Report> report, const Json* object, std::string pointer);

  const Json* claim(std::string_view name);
  const Json* claim_required(std::string_view name);
  std::string pointer_to(std::string_view name) const;
  void report(std::string_view name, std::string detail);
  std::string read_text(std::string_view name, const Json& value, Length length);
  std::int64_t read_integer(std::string_view name, const Json& value, std::int64_t min,
                            std::int64_t max);
  std::uint64_t read_decimal(std::string_view name, const Json& value);
  bool read_boolean(std::string_view name, const Json& value);
  std::string read_choice(std::string_view name, const Json& value,
                          std::initializer_list<std::string_view> choices);
  std::vector<std::string> read_texts(std::string_view name, const Json& value,
                                      std::size_t items_max, Length length);

  std::shared_ptr<Report> report_;
  std::shared_ptr<Node> node_;
};

}  // namespace tideline::http
