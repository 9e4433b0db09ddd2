// Moments as answers show them: what the engine let out, with names and opened texts.
//
// Thread-safe; blocks on the database for what is not remembered (moment_contents.hpp). What the
// tables have not got yet the request waits for as in private_reads.hpp, so these come before
// anything that is done once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feed/api/ports.hpp"
#include "http/messages/problem.hpp"

namespace tideline::feed {

// Appends the items of `entries` in their order to `items`, each the JSON text of an object, with
// commas between, as its caller is to see them, with the text of its entry's last edit; the
// audience is shown to the author alone. A moment that was deleted meanwhile is left out. Returns
// how many there are. 503 when a row is not there yet.
std::size_t append_moment_items(const ApiPorts& ports, const http::Request& request,
                                const std::vector<TimelineEntry>& entries, std::string& items);

// The moment's author, if it shows an image of that hash. 503 when its row is not there yet.
std::optional<core::AccountId> author_of_image(const ApiPorts& ports, const http::Request& request,
                                               const TimelineEntry& entry, std::string_view hash);

// The entry's audience with all who are listed: for its author alone. 503 as above.
http::Json audience_json(const ApiPorts& ports, const http::Request& request,
                         const TimelineEntry& entry);

// All texts of the entry, newest first; none of one that was deleted meanwhile. 503 as above.
http::Json moment_texts(const ApiPorts& ports, const http::Request& request,
                        const TimelineEntry& entry);

}  // namespace tideline::feed
