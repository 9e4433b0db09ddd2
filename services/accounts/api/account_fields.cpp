#include "accounts/api/account_fields.hpp"

#include <algorithm>

#include "accounts/api/recovery_codes.hpp"
#include "core/text.hpp"
#include "crypto/password_strength.hpp"

namespace tideline::accounts {
namespace {

constexpr std::int64_t kSexMax = 3;
constexpr std::size_t kLocalPartMax = 64;  // code points
constexpr const char* kNoEmail = "does not look like an e-mail address";

constexpr http::Length kPasswordLength{8, 256};

constexpr const char* kEasilyGuessed =
    "is easily guessed: take several words, or characters drawn at random";

constexpr http::Length kAppCodeLength{6, 6};

constexpr http::Length kSecondFactorCodeLength{6, 19};

bool is_app_code(std::string_view code) {
  return code.size() == kAppCodeLength.max &&
         std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
}

// Of a text that is long enough, or "".
std::string checked_second_factor_code(http::FieldReader& fields, std::string code) {
  if (!code.empty() && !is_app_code(code) && !looks_like_recovery_code(code)) {
    fields.violate("code", "takes six digits, or a recovery code");
  }
  return code;
}

Sex to_sex(std::int64_t number) { return static_cast<Sex>(number); }

}  // namespace

bool looks_like_email(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos || text.find('@', at + 1) != std::string_view::npos)
    return false;
  const auto local = text.substr(0, at);
  const auto domain = text.substr(at + 1);
  if (local.empty() || domain.empty()) return false;
  if (http::count_code_points(local) > kLocalPartMax) return false;
  const bool clean = std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c <= 0x20 || c == 0x7f || c == ',' || c == ';' || c == '<' || c == '>' || c == '"';
  });
  return clean && !domain.starts_with('.') && !domain.ends_with('.') &&
         domain.find("..") == std::string_view::npos;
}

std::string read_new_password(http::FieldReader& fields, const char* name,
                              const std::vector<std::string_view>& own) {
  std::string password = fields.text(name, kPasswordLength);
  if (!password.empty() && crypto::is_easily_guessed(password, own)) {
    fields.violate(name, kEasilyGuessed);
  }
  return password;
}

core::Status check_new_password(std::string_view password,
                                const std::vector<std::string_view>& own) {
  const std::size_t length = http::is_valid_utf8(password) ? http::count_code_points(password) : 0;
  if (length < kPasswordLength.min || length > kPasswordLength.max) {
    return core::invalid_input("a password has " + std::to_string(kPasswordLength.min) + " to " +
                               std::to_string(kPasswordLength.max) + " characters");
  }
  if (crypto::is_easily_guessed(password, own)) {
    return core::invalid_input(std::string("the password ") + kEasilyGuessed);
  }
  return core::success();
}

std::string read_app_code(http::FieldReader& fields) {
  std::string code = fields.text("code", kAppCodeLength);
  if (!code.empty() && !is_app_code(code)) fields.violate("code", "takes six digits");
  return code;
}

std::string read_second_factor_code(http::FieldReader& fields) {
  return checked_second_factor_code(fields, fields.text("code", kSecondFactorCodeLength));
}

std::string read_optional_second_factor_code(http::FieldReader& fields) {
  return checked_second_factor_code(
      fields, fields.optional_text("code", kSecondFactorCodeLength).value_or(""));
}

std::string read_user_id(http::FieldReader& fields) {
  std::string user_id = fields.text("user_id", kUserIdLength);
  if (!user_id.empty() && !core::is_user_id(user_id)) {
    fields.violate("user_id", "takes 1 to 64 of the characters A-Z a-z 0-9 . _ -");
  }
  return user_id;
}

std::string read_email(http::FieldReader& fields) {
  std::string email = fields.text("email", kEmailLength);
  if (!email.empty() && !looks_like_email(email)) fields.violate("email", kNoEmail);
  return email;
}

Profile read_new_profile(http::FieldReader& fields) {
  Profile profile;
  profile.user_id = read_user_id(fields);
  profile.real_name = fields.text("real_name", kRealNameLength);
  profile.email = read_email(fields);
  profile.sex = to_sex(fields.optional_integer("sex", 0, kSexMax).value_or(0));
  profile.department = fields.optional_text("department", kDepartmentLength).value_or("");
  return profile;
}

ChangeProfile read_profile_change(http::FieldReader& fields) {
  ChangeProfile change;
  change.real_name = fields.optional_text("real_name", kRealNameLength);
  change.email = fields.optional_text("email", kEmailLength);
  if (change.email && !change.email->empty() && !looks_like_email(*change.email)) {
    fields.violate("email", kNoEmail);
  }
  if (const auto sex = fields.optional_integer("sex", 0, kSexMax)) change.sex = to_sex(*sex);
  change.department = fields.optional_text("department", kDepartmentLength);
  change.bio = fields.optional_text("bio", kBioLength);
  change.shows_visits = fields.optional_boolean("shows_visits");
  return change;
}

}  // namespace tideline::accounts
