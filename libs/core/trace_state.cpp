#include "core/trace_state.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tideline::core {
namespace {

constexpr std::size_t kKeyBytesMax = 256;
constexpr std::size_t kTenantBytesMax = 241;
constexpr std::size_t kSystemBytesMax = 14;
constexpr std::size_t kValueBytesMax = 256;
constexpr std::size_t kLargeMemberBytes = 128;

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_key_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '*' || c == '/';
}

bool is_key_part(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max &&
         std::all_of(text.begin(), text.end(), is_key_byte);
}

// "vendor", or "tenant@vendor".
bool is_key(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return is_key_part(text, kKeyBytesMax) && is_letter(text[0]);
  const std::string_view tenant = text.substr(0, at);
  const std::string_view system = text.substr(at + 1);
  return is_key_part(tenant, kTenantBytesMax) && (is_letter(tenant[0]) || is_digit(tenant[0])) &&
         is_key_part(system, kSystemBytesMax) && is_letter(system[0]);
}

// Blanks at its end are taken for those around the member.
bool is_value(std::string_view text) {
  return !text.empty() && text.size() <= kValueBytesMax &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c <= 0x7e && c != '='; });
}

std::string_view without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

using Members = std::vector<std::string_view>;

// Keys are few: comparing each with those before it takes no table.
bool add_member(Members& members, std::string_view member) {
  const auto equals = member.find('=');
  if (equals == std::string_view::npos || members.size() == kTraceStateMembersMax) return false;
  if (!is_key(member.substr(0, equals)) || !is_value(member.substr(equals + 1))) return false;
  const std::string_view key = member.substr(0, equals + 1);
  if (std::any_of(members.begin(), members.end(),
                  [&](std::string_view other) { return other.starts_with(key); })) {
    return false;
  }
  members.push_back(member);
  return true;
}

// nullopt where a rule is broken.
std::optional<Members> read_members(std::string_view text) {
  Members members;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view member = without_blanks(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (!member.empty() && !add_member(members, member)) return std::nullopt;
  }
  return members;
}

std::size_t joined_bytes(const Members& members) {
  std::size_t bytes = members.empty() ? 0 : members.size() - 1;
  for (const std::string_view member : members) bytes += member.size();
  return bytes;
}

void cut(Members& members) {
  while (joined_bytes(members) > kTraceStateBytesMax) {
    const auto large = std::find_if(members.rbegin(), members.rend(), [](std::string_view member) {
      return member.size() > kLargeMemberBytes;
    });
    members.erase(large == members.rend() ? members.end() - 1 : std::next(large).base());
  }
}

}  // namespace

std::string sound_trace_state(std::string_view text) {
  std::optional<Members> members = read_members(text);
  if (!members) return {};
  cut(*members);
  std::string joined;
  joined.reserve(joined_bytes(*members));
  for (const std::string_view member : *members) {
    if (!joined.empty()) joined.push_back(',');
    joined.append(member);
  }
  return joined;
}

}  // namespace tideline::core
