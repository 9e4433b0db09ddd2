#include "feed/api/messages/message_access.hpp"

#include <map>

#include "feed/api/messages/message_items.hpp"
#include "feed/api/timelines/private_reads.hpp"

namespace tideline::feed {
namespace {

using http::Request;
using http::Response;

// By its key, whether he has read it.
using ReadByKey = std::map<MessageKey, bool>;

void add(const std::vector<ReceivedMessage>& entries, ReadByKey& read) {
  for (const ReceivedMessage& entry : entries) read.emplace(entry.key, entry.read);
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

std::vector<MessageRow> find_readable(const ApiPorts& ports, sql::Transaction& transaction,
                                      std::vector<MessageRow> messages,
                                      const core::AccountId& reader) {
  std::vector<MessageKey> own;
  std::map<std::string, std::vector<MessageKey>> of_groups;
  for (const MessageRow& message : messages) {
    const bool of_others = message.group_id && message.key.sender != reader;
    (of_others ? of_groups[*message.group_id] : own).push_back(message.key);
  }
  ReadByKey read;
  if (!own.empty()) add(find_entries(transaction, reader, own), read);
  if (!of_groups.empty()) {
    const GroupReader member = group_reader(ports, reader);
    for (const auto& [group_id, keys] : of_groups) {
      const auto list = messages_of_group(ports, group_id, reader);
      if (list) add(find_in_group(transaction, member, *list, keys), read);
    }
  }
  std::erase_if(messages, [&](const MessageRow& message) { return !read.contains(message.key); });
  for (MessageRow& message : messages) message.read = read.at(message.key);
  return messages;
}

Response answer_message(const ApiPorts& ports, const Request& request,
                        const std::function<Response(const MessageRow&)>& answer) {
  const auto key = parse_message_key(ports.account_ids, request.param("key"));
  if (!key) return to_response(http::not_found());
  http::await_models(request, {ports.tables_applied});
  const auto message = core::value_of(ports.database.read(
      [&](sql::Transaction& transaction) { return find_message(transaction, *key); }));
  if (!message) return to_response(http::not_found());
  const auto answer_readable = [&]() -> Response {
    const auto found = core::value_of(ports.database.read([&](sql::Transaction& transaction) {
      return find_readable(ports, transaction, {*message}, request.account());
    }));
    return found.empty() ? to_response(http::not_found()) : answer(found.front());
  };
  if (message->group_id) {
    return answer_private(ports, request, ports.tables_applied, answer_readable);
  }
  return http::answer_query(request, {ports.tables_applied}, http::WhenBehind::Refuse,
                            answer_readable);
}

}  // namespace tideline::feed
