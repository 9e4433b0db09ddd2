#include "feed/api/messages/message_access.hpp"

#include "feed/api/messages/message_items.hpp"
#include "feed/api/timelines/private_reads.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;

// nullopt: it is in none of his boxes.
std::optional<MessageRow> find_own(sql::Transaction& transaction, MessageRow message,
                                   const core::AccountId& reader) {
  const auto read = find_entry(transaction, message.key, reader);
  if (!read) return std::nullopt;
  message.read = *read;
  return message;
}

std::optional<MessageRow> find_of_group(const ApiPorts& ports, sql::Transaction& transaction,
                                        MessageRow message, const core::AccountId& account) {
  if (message.key.sender == account) return find_own(transaction, std::move(message), account);
  const GroupReader reader = group_reader(ports, account);
  const auto list = messages_of_group(ports, *message.group_id, account);
  if (!list) return std::nullopt;
  const auto read = find_in_group(transaction, reader, *list, message.key);
  if (!read) return std::nullopt;
  message.read = *read;
  return message;
}

}  // namespace

GroupReader group_reader(const ApiPorts& ports, const core::AccountId& account) {
  GroupReader reader{account};
  reader.knows = [applied = ports.engine_applied.current()](const auto& seen) {
    return applied.covers(seen);
  };
  reader.apart = ports.reader.apart_from(account);
  return reader;
}

std::optional<GroupMessages> messages_of_group(const ApiPorts& ports, std::string_view group_id,
                                               const core::AccountId& member) {
  const auto since = ports.reader.reads_group_since(group_id, member);
  if (!since) return std::nullopt;
  return GroupMessages{std::string(group_id), *since};
}

std::optional<MessageRow> find_readable(const ApiPorts& ports, sql::Transaction& transaction,
                                        MessageRow message, const core::AccountId& reader) {
  return message.group_id ? find_of_group(ports, transaction, std::move(message), reader)
                          : find_own(transaction, std::move(message), reader);
}

Response answer_message(const ApiPorts& ports, const Request& request,
                        const std::function<Response(const MessageRow&)>& answer) {
  const auto key = parse_message_key(ports.account_ids, request.param("key"));
  if (!key) return to_response(http::not_found());
  http::await_models(request, {ports.tables_applied});
  const auto message = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return find_message(transaction, *key); }));
  if (!message) return to_response(http::not_found());
  const auto answer_with = [&](const auto& find) -> Response {
    const auto found = core::value_of(ports.database.read(find));
    return found ? answer(*found) : to_response(http::not_found());
  };
  if (message->group_id) {
    return answer_private(ports, request, ports.tables_applied, [&] {
      return answer_with([&](sql::Transaction& transaction) {
        return find_of_group(ports, transaction, *message, request.account());
      });
    });
  }
  return http::answer_query(request, {ports.tables_applied}, http::WhenBehind::Refuse, [&] {
    return answer_with([&](sql::Transaction& transaction) {
      return find_own(transaction, *message, request.account());
    });
  });
}

}  // namespace tideline::feed
