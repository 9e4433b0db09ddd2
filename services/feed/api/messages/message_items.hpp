// Messages as answers show them, and their keys as people say them: <sender's user_id>_<time>.
//
// Thread-safe; message_items() blocks on the database.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feed/api/ports.hpp"
#include "feed/projections/message_queries.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/problem.hpp"

namespace tideline::feed {

std::string message_key_text(std::string_view sender_user_id, core::Timestamp sent_at);
// nullopt for what message_key_text() would not have written.
std::optional<MessageKey> parse_message_key(const crypto::AccountIds& account_ids,
                                            std::string_view text);

// As `reader` is to see them, who may.
http::Json message_items(const ApiPorts& ports, const core::AccountId& reader,
                         const std::vector<MessageRow>& messages);

// As cursors name a message.
std::string message_place_text(const MessageKey& key);
// A page of a list of that kind, newest first.
http::Parsed<http::PageRequest<MessageKey>> read_message_place(const http::Request& request,
                                                               std::string_view kind);
http::Response message_page_response(const ApiPorts& ports, const core::AccountId& reader,
                                     std::string_view kind, const MessagePage& page);

}  // namespace tideline::feed
