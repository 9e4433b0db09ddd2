#include "feed/projections/search/message_search_model.hpp"

#include <utility>

#include "feed/projections/search/search_scopes.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kInsertMessageWords = R"(
INSERT INTO message_search (sender, sent_at, scopes, words)
SELECT sender, sent_at, scopes::bigint[], words::bigint[]
FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[])
  AS new (sender, sent_at, scopes, words)
WHERE NOT EXISTS (SELECT FROM search_closed AS closed WHERE closed.author = new.sender)
ON CONFLICT (sender, sent_at) DO NOTHING)";

// The row stays without a word, so that its message, should it come again, is not found again.
constexpr const char* kForgetMessageWords = R"(
UPDATE message_search AS message SET scopes = '{}', words = '{}'
FROM unnest($1::uuid[], $2::timestamptz[]) AS recalled (sender, sent_at)
WHERE message.sender = recalled.sender AND message.sent_at = recalled.sent_at)";

constexpr const char* kDeleteOfSenders =
    "DELETE FROM message_search WHERE sender = ANY ($1::uuid[])";

std::string scopes_of(const read::MessageSent& message) {
  std::vector<std::int64_t> scopes{scope_of_person(message.sender)};
  if (message.recipient) scopes.push_back(scope_of_person(*message.recipient));
  if (message.group_id) scopes.push_back(scope_of_group(*message.group_id));
  return sql::kArrayText(scopes);
}

}  // namespace

void MessageSearchModel::clear() {
  sent_.clear();
  recalled_.clear();
}

void MessageSearchModel::apply(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::MessageSent, MessageRecalled>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (auto* sent = std::get_if<read::MessageSent>(&*known)) {
    const MessageKey key{sent->sent_at, sent->sender};
    sent_.emplace(key, std::move(*sent));
  } else if (const auto* gone = std::get_if<MessageRecalled>(&*known)) {
    recalled_.insert({gone->sent_at, gone->sender});
  }
}

void MessageSearchModel::flush(sql::Transaction& transaction, const WordOpener& opener,
                               const std::set<core::AccountId>& closed) const {
  struct Row {
    const read::MessageSent* sent;
    std::string scopes;
    std::string words;
  };
  std::vector<Row> rows;
  std::vector<eventsourcing::SealedText> texts;
  for (const auto& [key, sent] : sent_) {
    if (closed.contains(key.sender)) continue;
    rows.push_back({&sent, scopes_of(sent), ""});
    texts.push_back(
        {sent.sender, sent.sealed_text, eventsourcing::Stored<MessageSent>::kTextContext});
  }
  auto words = opener.words_of(texts);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].words = std::move(words[i]);
  sql::write_batch(
      transaction, kInsertMessageWords, rows, [](const Row& row) { return row.sent->sender; },
      [](const Row& row) { return row.sent->sent_at; }, &Row::scopes, &Row::words);
  sql::write_batch(transaction, kForgetMessageWords, recalled_, &MessageKey::sender,
                   &MessageKey::sent_at);
  if (!closed.empty()) {
    transaction.execute(kDeleteOfSenders,
                        {std::vector<core::AccountId>(closed.begin(), closed.end())});
  }
}

}  // namespace tideline::feed
