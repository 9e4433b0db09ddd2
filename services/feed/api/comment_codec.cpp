#include "feed/api/comment_codec.hpp"

#include "feed/api/own_event.hpp"

namespace tideline::feed {

eventsourcing::NewEvent CommentCodec::encode(const Comment::Event& event) const {
  return std::visit(
      eventsourcing::Overloaded{
          [&](const CommentAdded& fact) {
            nlohmann::json data{{"moment_id", core::to_string(fact.moment)},
                                {"moment_author", fact.moment_author.to_string()},
                                {"comment_id", core::to_string(fact.id)},
                                {"parent_id", nullptr},
                                {"author", fact.author.to_string()},
                                {"text", seal_text(cipher_, fact.author, fact.text, kCommentText)},
                                {"written_at", core::format_iso8601(fact.written_at)},
                                {"seen", fact.seen}};
            if (fact.parent) data["parent_id"] = core::to_string(*fact.parent);
            return own_event("CommentAdded", data);
          },
          [](const CommentDeleted& fact) {
            return own_event("CommentDeleted", {{"moment_id", core::to_string(fact.moment)},
                                                {"comment_id", core::to_string(fact.id)},
                                                {"author", fact.author.to_string()},
                                                {"by", fact.by.to_string()}});
          },
      },
      event);
}

std::optional<Comment::Event> CommentCodec::decode(
    const eventsourcing::RecordedEvent& recorded) const {
  const auto known = read_own_event(recorded);
  if (!known) return std::nullopt;
  if (const auto* fact = std::get_if<read::CommentAdded>(&*known)) {
    return CommentAdded{
        fact->moment,     fact->moment_author,
        fact->id,         fact->parent,
        fact->author,     open_text(cipher_, fact->author, fact->sealed_text, kCommentText),
        fact->written_at, fact->seen.to_token()};
  }
  if (const auto* fact = std::get_if<read::CommentDeleted>(&*known)) {
    return CommentDeleted{fact->moment, fact->id, fact->author, fact->by};
  }
  return std::nullopt;
}

}  // namespace tideline::feed
