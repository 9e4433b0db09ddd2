// The fields of an account as they come in: one place for their limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/domain/account.hpp"
#include "core/result.hpp"
#include "http/messages/json.hpp"

namespace tideline::accounts {

inline constexpr http::Length kUserIdLength{1, 64};
// A password that is only compared may be shorter than a new one: it is wrong then, and no
// violation, for that would tell that it was never asked.
inline constexpr http::Length kAnyPasswordLength{1, 256};
inline constexpr http::Length kRealNameLength{1, 100};
inline constexpr http::Length kEmailLength{3, 254};
inline constexpr http::Length kDepartmentLength{0, 100};
inline constexpr http::Length kBioLength{0, 500};

// A modest check: one "@", something on both sides, no spaces and control characters, no empty
// label in the domain. Whether it is somebody's only a message to it can show.
bool looks_like_email(std::string_view text);

// Member `name`, of at least 8 characters and not easily guessed. `own`: words of whoever sets it.
std::string read_new_password(http::FieldReader& fields, const char* name,
                              const std::vector<std::string_view>& own = {});

// The same of one that came otherwise. InvalidInput says what is wrong with it.
core::Status check_new_password(std::string_view password,
                                const std::vector<std::string_view>& own);

inline constexpr http::Length kCodeLength{1, 64};

// Member code of an authenticator app: six digits.
std::string read_app_code(http::FieldReader& fields);
// The same, or a recovery code.
std::string read_second_factor_code(http::FieldReader& fields);
// That where it may be missing; "" = it is.
std::string read_optional_second_factor_code(http::FieldReader& fields);
// Members user_id and email of a new account.
std::string read_user_id(http::FieldReader& fields);
std::string read_email(http::FieldReader& fields);
// Members user_id, real_name, email, sex (default 0), department (default "").
Profile read_new_profile(http::FieldReader& fields);
// Of PATCH: what is missing or null stays as it is.
ChangeProfile read_profile_change(http::FieldReader& fields);

}  // namespace tideline::accounts
