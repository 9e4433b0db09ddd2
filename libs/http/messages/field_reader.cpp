#include <charconv>
#include <cmath>
#include <set>

#include "core/check.hpp"
#include "http/messages/json.hpp"

namespace tideline::http {
namespace {

// More tell a client nothing, and a body of a megabyte could earn an answer of many.
constexpr std::size_t kViolationsMax = 100;
constexpr std::size_t kShownNameBytesMax = 256;

std::string child_pointer(const std::string& parent, std::string_view name) {
  std::string pointer = parent + "/";
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

std::string between(std::size_t min, std::size_t max) {
  return std::to_string(min) + " to " + std::to_string(max);
}

// JSON Schema's sense: 1.0 is one, too.
bool is_integer(const Json& value) {
  if (!value.is_number_float()) return value.is_number_integer();
  const auto number = value.get<double>();
  return std::trunc(number) == number;
}

bool is_beyond_int64(const Json& value) {
  constexpr double kBound = 9223372036854775808.0;  // 2^63
  if (!value.is_number_float()) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  }
  const auto number = value.get<double>();
  return number < -kBound || number >= kBound;
}

}  // namespace

struct FieldReader::Node {
  const Json* object;
  std::string pointer;
  std::set<std::string, std::less<>> known;
};

struct FieldReader::Report {
  std::vector<Violation> violations;
  std::vector<std::shared_ptr<Node>> nodes;

  void add(std::string pointer, std::string detail) {
    if (violations.size() < kViolationsMax) {
      violations.push_back({std::move(pointer), std::move(detail)});
    }
  }
};

FieldReader::FieldReader(const Json& object)
    : FieldReader(std::make_shared<Report>(), &object, "") {}

FieldReader::FieldReader(std::shared_ptr<Report> report, const Json* object, std::string pointer)
    : report_(std::move(report)), node_(std::make_shared<Node>()) {
  if (!object->is_object()) {
    report_->add(pointer, "is not an object");
    object = &empty_object();
  }
  node_->object = object;
  node_->pointer = std::move(pointer);
  report_->nodes.push_back(node_);
}

const Json* FieldReader::claim(std::string_view name) {
  node_->known.emplace(name);
  const auto found = node_->object->find(name);
  return found == node_->object->end() ? nullptr : &*found;
}

const Json* FieldReader::claim_required(std::string_view name) {
  const Json* value = claim(name);
  if (value == nullptr) {
    report(name, "is missing");
  } else if (value->is_null()) {
    report(name, "must not be null");
    return nullptr;
  }
  return value;
}

std::string FieldReader::pointer_to(std::string_view name) const {
  return name.empty() ? node_->pointer : child_pointer(node_->pointer, name);
}

void FieldReader::report(std::string_view name, std::string detail) {
  report_->add(pointer_to(name), std::move(detail));
}

std::string FieldReader::read_text(std::string_view name, const Json& value, Length length) {
  if (!value.is_string()) {
    report(name, "is not a string");
    return {};
  }
  const auto& text = value.get_ref<const std::string&>();
  const std::size_t points = count_code_points(text);
  if (points < length.min || points > length.max) {
    report(name, "must have " + between(length.min, length.max) + " characters");
    return {};
  }
  return text;
}

std::int64_t FieldReader::read_integer(std::string_view name, const Json& value, std::int64_t min,
                                       std::int64_t max) {
  if (!is_integer(value)) {
    report(name, "is not an integer");
    return 0;
  }
  const bool beyond = is_beyond_int64(value);
  const std::int64_t number = beyond ? 0 : value.get<std::int64_t>();
  if (beyond || number < min || number > max) {
    report(name, "must be from " + std::to_string(min) + " to " + std::to_string(max));
    return 0;
  }
  return number;
}

std::uint64_t FieldReader::read_decimal(std::string_view name, const Json& value) {
  std::uint64_t number = 0;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool leading_zero = text.size() > 1 && text.front() == '0';
    if (error == std::errc{} && rest == end && !leading_zero) return number;
  }
  report(name, "is not a 64-bit number as a string of digits");
  return 0;
}

bool FieldReader::read_boolean(std::string_view name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  report(name, "is not true or false");
  return false;
}

std::string FieldReader::read_choice(std::string_view name, const Json& value,
                                     std::initializer_list<std::string_view> choices) {
  CHECK(choices.size() > 0, "a choice needs something to choose from");
  std::string known;
  for (const std::string_view choice : choices) {
    if (value.is_string() && value.get_ref<const std::string&>() == choice) {
      return std::string(choice);
    }
    known.append(known.empty() ? "" : ", ").append(choice);
  }
  report(name, "must be one of: " + known);
  return std::string(*choices.begin());
}

std::vector<std::string> FieldReader::read_texts(std::string_view name, const Json& value,
                                                 std::size_t items_max, Length length) {
  std::vector<std::string> texts;
  if (!value.is_array()) {
    report(name, "is not an array");
    return texts;
  }
  if (value.size() > items_max) {
    report(name, "must have at most " + std::to_string(items_max) + " items");
    return texts;
  }
  FieldReader items(report_, &empty_object(), pointer_to(name));
  for (std::size_t i = 0; i < value.size(); ++i) {
    texts.push_back(items.read_text(std::to_string(i), value[i], length));
  }
  return texts;
}

std::string FieldReader::text(std::string_view name, Length length) {
  const Json* value = claim_required(name);
  return value ? read_text(name, *value, length) : std::string();
}

std::optional<std::string> FieldReader::optional_text(std::string_view name, Length length) {
  const Json* value = claim(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return read_text(name, *value, length);
}

std::optional<std::optional<std::string>> FieldReader::nullable_text(std::string_view name,
                                                                     Length length) {
  const Json* value = claim(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return std::optional<std::string>();
  return std::optional<std::string>(read_text(name, *value, length));
}

std::int64_t FieldReader::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  const Json* value = claim_required(name);
  return value ? read_integer(name, *value, min, max) : 0;
}

std::optional<std::int64_t> FieldReader::optional_integer(std::string_view name, std::int64_t min,
                                                          std::int64_t max) {
  const Json* value = claim(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return read_integer(name, *value, min, max);
}

std::uint64_t FieldReader::decimal(std::string_view name) {
  const Json* value = claim_required(name);
  return value ? read_decimal(name, *value) : 0;
}

std::optional<std::uint64_t> FieldReader::optional_decimal(std::string_view name) {
  const Json* value = claim(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return read_decimal(name, *value);
}

bool FieldReader::boolean(std::string_view name) {
  const Json* value = claim_required(name);
  return value != nullptr && read_boolean(name, *value);
}

std::optional<bool> FieldReader::optional_boolean(std::string_view name) {
  const Json* value = claim(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return read_boolean(name, *value);
}

std::string FieldReader::one_of(std::string_view name,
                                std::initializer_list<std::string_view> choices) {
  const Json* value = claim_required(name);
  return value ? read_choice(name, *value, choices) : std::string(*choices.begin());
}

std::optional<std::string> FieldReader::optional_one_of(
    std::string_view name, std::initializer_list<std::string_view> choices) {
  const Json* value = claim(name);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return read_choice(name, *value, choices);
}

std::vector<std::string> FieldReader::text_array(std::string_view name, std::size_t items_max,
                                                 Length length) {
  const Json* value = claim_required(name);
  if (value == nullptr) return {};
  return read_texts(name, *value, items_max, length);
}

std::vector<std::string> FieldReader::optional_text_array(std::string_view name,
                                                          std::size_t items_max, Length length) {
  return nullable_text_array(name, items_max, length).value_or(std::vector<std::string>());
}

std::optional<std::vector<std::string>> FieldReader::nullable_text_array(std::string_view name,
                                                                         std::size_t items_max,
                                                                         Length length) {
  const Json* value = claim(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_null()) return std::vector<std::string>();
  return read_texts(name, *value, items_max, length);
}

FieldReader FieldReader::object(std::string_view name) {
  const Json* value = claim_required(name);
  return FieldReader(report_, value ? value : &empty_object(), pointer_to(name));
}

std::vector<FieldReader> FieldReader::objects(std::string_view name, std::size_t items_max) {
  std::vector<FieldReader> readers;
  const Json* value = claim_required(name);
  if (value == nullptr) return readers;
  if (!value->is_array()) {
    report(name, "is not an array");
  } else if (value->size() > items_max) {
    report(name, "must have at most " + std::to_string(items_max) + " items");
  } else {
    for (std::size_t i = 0; i < value->size(); ++i) {
      readers.push_back(
          FieldReader(report_, &(*value)[i], child_pointer(pointer_to(name), std::to_string(i))));
    }
  }
  return readers;
}

void FieldReader::violate(std::string_view name, std::string detail) {
  report(name, std::move(detail));
}

bool FieldReader::has(std::string_view name) const { return node_->object->contains(name); }

std::vector<Violation> FieldReader::violations() const {
  Report all{report_->violations, {}};
  for (const auto& node : report_->nodes) {
    for (const auto& member : node->object->items()) {
      if (node->known.contains(member.key())) continue;
      // Cut between code points is not needed: the name is shown, and dump() replaces a torn one.
      const std::string_view shown = std::string_view(member.key()).substr(0, kShownNameBytesMax);
      all.add(child_pointer(node->pointer, shown), "is not a known field");
    }
  }
  return all.violations;
}

std::optional<Problem> FieldReader::problem() const {
  const auto found = violations();
  if (found.empty()) return std::nullopt;
  return invalid(found);
}

void FieldReader::check() const {
  if (auto found = problem()) refuse(*std::move(found));
}

}  // namespace tideline::http
