// Who may read a message: of a personal one its sender and its recipient, of a group's its sender
// and whoever is a member when he reads.
//
// Thread-safe. Everything here blocks on the database, or for read models to catch up.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "feed/api/ports.hpp"
#include "feed/projections/group_message_queries.hpp"
#include "http/messages/message.hpp"

namespace tideline::feed {

// What a member reads of groups, as the engine knows it: ask for it before what it is asked about.
GroupReader group_reader(const ApiPorts& ports, const core::AccountId& account);

// nullopt: to who is no member, a group that exists and one that does not are the same.
std::optional<GroupMessages> messages_of_group(const ApiPorts& ports, std::string_view group_id,
                                               const core::AccountId& member);
inline http::Problem no_such_group() {
  return http::problem(404, "no-such-group", "Not found", "the caller is in no group of this id");
}

// Those of the messages that he may read, as he reads them, in their order. Where there may be
// groups' among them ask within answer_private().
std::vector<MessageRow> find_readable(const ApiPorts& ports, sql::Transaction& transaction,
                                      std::vector<MessageRow> messages,
                                      const core::AccountId& reader);

// Answers with the message, as its caller reads it; 404 if he may not, 503 rather than by a group
// of some time ago.
http::Response answer_message(const ApiPorts& ports, const http::Request& request,
                              const std::function<http::Response(const MessageRow&)>& answer);

}  // namespace tideline::feed
