// The fields of an account as they come in: one place for their limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "accounts/domain/account.hpp"
#include "http/messages/json.hpp"

namespace tideline::accounts {

inline constexpr http::Length kUserIdLength{1, 64};
inline constexpr http::Length kPasswordLength{8, 256};  // of a new password
// A password that is only compared may be shorter: it is wrong then, and no violation, for that
// would tell that it was never asked.
inline constexpr http::Length kAnyPasswordLength{1, 256};
inline constexpr http::Length kRealNameLength{1, 100};
inline constexpr http::Length kEmailLength{3, 254};
inline constexpr http::Length kDepartmentLength{0, 100};

// A modest check: one "@", something on both sides, no spaces and control characters, no empty
// label in the domain. Whether it is somebody's only a message to it can show.
bool looks_like_email(std::string_view text);

// Members user_id, real_name, email, sex (default 0), department (default "").
Profile read_new_profile(http::FieldReader& fields);
// Of PATCH: what is missing or null stays as it is.
ChangeProfile read_profile_change(http::FieldReader& fields);

}  // namespace tideline::accounts
