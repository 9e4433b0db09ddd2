// Where the picture of a person is: a route of accounts, which asks whether the caller may see it.
#pragma once

#include <string>

namespace tideline::people {

// `hash`: of the content (uploads/content_store.hpp), so that another picture has another path.
inline std::string avatar_path(const std::string& user_id, const std::string& hash) {
  return "/v1/profiles/" + user_id + "/avatar/" + hash;
}

}  // namespace tideline::people
