#include "core/stream_key.hpp"

#include "core/check.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::core {

StreamId stream_key(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text.push_back('-');
    text.append(part);
  }
  return StreamId(std::move(text));
}

std::string_view id_part(std::string_view id) {
  CHECK(is_time_ordered_id(id), "the edge lets only well-formed ids pass");
  return id;
}

}  // namespace tideline::core
