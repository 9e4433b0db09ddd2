#include "projects/api/codecs.hpp"

#include <nlohmann/json.hpp>

#include "eventsourcing/projection.hpp"
#include "projects/projections/events_read.hpp"

namespace tideline::projects {

using eventsourcing::CodecFailed;
using eventsourcing::NewEvent;
using eventsourcing::Overloaded;
using eventsourcing::RecordedEvent;
using nlohmann::json;

namespace {

NewEvent event(std::string type, const json& data) {
  return {.type = std::move(type), .data = data.dump()};
}

std::string seal(crypto::SubjectCipher& cipher, const core::AccountId& author,
                 std::string_view text, std::string_view context) {
  auto sealed = cipher.seal(author, text, context);
  if (!sealed) throw CodecFailed(sealed.error());
  return *std::move(sealed);
}

// "" when the author's key has been destroyed.
std::string open(crypto::SubjectCipher& cipher, const core::AccountId& author,
                 std::string_view sealed, std::string_view context) {
  auto opened = cipher.open(author, sealed, context);
  if (!opened) throw CodecFailed(opened.error());
  return opened->value_or("");
}

// In the own store, data that breaks its schema is damage.
template <class Read>
auto read_own(const RecordedEvent& recorded, Read read) {
  try {
    return read(recorded);
  } catch (const eventsourcing::PoisonEvent& poison) {
    throw CodecFailed(core::internal_error(poison.what()));
  }
}

}  // namespace

std::string card_to_json(const Card& card) {
  return json{{"name", card.name},
              {"introduction", card.introduction},
              {"link", card.link ? json(*card.link) : json(nullptr)}}
      .dump();
}

std::optional<Card> card_from_json(std::string_view text) {
  const json data = json::parse(text, nullptr, false);
  if (!data.is_object() || !data.contains("name") || !data["name"].is_string()) {
    return std::nullopt;
  }
  Card card{data["name"].get<std::string>(), data.value("introduction", ""), std::nullopt};
  if (const auto link = data.find("link"); link != data.end() && link->is_string()) {
    card.link = link->get<std::string>();
  }
  return card;
}

NewEvent ProjectCodec::encode(const Project::Event& fact) const {
  const auto sealed_card = [&](const auto& project) {
    return seal(cipher_, project.author, card_to_json(project.card), kCardContext);
  };
  return std::visit(Overloaded{
                        [&](const ProjectCreated& created) {
                          return event(
                              "ProjectCreated",
                              {{"project_id", created.project_id},
                               {"author", created.author.to_string()},
                               {"card", sealed_card(created)},
                               {"labels", created.labels},
                               {"published_at", core::format_iso8601(created.published_at)}});
                        },
                        [&](const ProjectEdited& edited) {
                          return event("ProjectEdited", {{"project_id", edited.project_id},
                                                         {"author", edited.author.to_string()},
                                                         {"card", sealed_card(edited)},
                                                         {"labels", edited.labels}});
                        },
                        [&](const ProjectIconChanged& changed) {
                          return event("ProjectIconChanged",
                                       {{"project_id", changed.project_id},
                                        {"author", changed.author.to_string()},
                                        {"icon", changed.icon ? json(*changed.icon) : json()}});
                        },
                    },
                    fact);
}

std::optional<Project::Event> ProjectCodec::decode(const RecordedEvent& recorded) const {
  if (const auto icon = read_own(recorded, read_icon)) return *icon;
  const auto read = read_own(recorded, read_project);
  if (!read) return std::nullopt;
  const std::string opened = open(cipher_, read->author, read->sealed_card, kCardContext);
  const Card card = card_from_json(opened).value_or(Card{});
  if (read->published_at) {
    return ProjectCreated{read->project_id, read->author, card, read->labels, *read->published_at};
  }
  return ProjectEdited{read->project_id, read->author, card, read->labels};
}

NewEvent CommentsCodec::encode(const Comments::Event& fact) const {
  return std::visit(Overloaded{[&](const CommentAdded& added) {
                      return event(
                          "CommentAdded",
                          {{"project_id", added.project_id},
                           {"project_author", added.project_author.to_string()},
                           {"comment_id", added.comment_id},
                           {"parent_id", added.parent_id},
                           {"author", added.author.to_string()},
                           {"text", seal(cipher_, added.author, added.text, kCommentContext)},
                           {"seen", added.seen}});
                    }},
                    fact);
}

std::optional<Comments::Event> CommentsCodec::decode(const RecordedEvent& recorded) const {
  auto read = read_own(recorded, read_comment);
  if (!read) return std::nullopt;
  std::visit(Overloaded{[&](CommentAdded& added) {
               added.text = open(cipher_, added.author, added.text, kCommentContext);
             }},
             *read);
  return read;
}

NewEvent AdviceCodec::encode(const Advice::Event& fact) const {
  const auto data = [](const AdviceIdentity& advice) {
    return json{{"project_id", advice.project_id},
                {"project_author", advice.project_author.to_string()},
                {"advice_id", advice.advice_id},
                {"adviser", advice.adviser.to_string()}};
  };
  return std::visit(Overloaded{
                        [&](const AdviceGiven& given) {
                          json fields = data(given.advice);
                          fields["text"] =
                              seal(cipher_, given.advice.adviser, given.text, kAdviceContext);
                          return event("AdviceGiven", fields);
                        },
                        [&](const AdviceAdopted& adopted) {
                          return event("AdviceAdopted", data(adopted.advice));
                        },
                        [&](const AdviceWithdrawn& withdrawn) {
                          return event("AdviceWithdrawn", data(withdrawn.advice));
                        },
                    },
                    fact);
}

std::optional<Advice::Event> AdviceCodec::decode(const RecordedEvent& recorded) const {
  auto read = read_own(recorded, read_advice);
  if (!read) return std::nullopt;
  if (auto* given = std::get_if<AdviceGiven>(&*read)) {
    given->text = open(cipher_, given->advice.adviser, given->text, kAdviceContext);
  }
  return read;
}

NewEvent DocumentsCodec::encode(const Documents::Event& fact) const {
  const auto data = [](const auto& document) {
    return json{{"project_id", document.project_id},
                {"author", document.author.to_string()},
                {"document_id", document.document_id}};
  };
  return std::visit(
      Overloaded{
          [&](const DocumentAdded& added) {
            json fields = data(added);
            fields["title"] = seal(cipher_, added.author, added.title, kDocumentContext);
            fields["media_type"] = added.file.media_type;
            fields["bytes"] = added.file.size_bytes;
            fields["hash"] = added.file.hash;
            return event("DocumentAdded", fields);
          },
          [&](const DocumentRemoved& removed) { return event("DocumentRemoved", data(removed)); },
      },
      fact);
}

std::optional<Documents::Event> DocumentsCodec::decode(const RecordedEvent& recorded) const {
  auto read = read_own(recorded, read_documents);
  if (!read) return std::nullopt;
  if (auto* added = std::get_if<DocumentAdded>(&*read)) {
    added->title = open(cipher_, added->author, added->title, kDocumentContext);
  }
  return read;
}

NewEvent VotingCodec::encode(const Voting::Event& fact) const {
  const auto data = [](const auto& voting) {
    return json{{"project_id", voting.project_id}, {"author", voting.author.to_string()}};
  };
  return std::visit(
      Overloaded{
          [&](const VotingOpened& opened) { return event("VotingOpened", data(opened)); },
          [&](const VotingClosed& closed) { return event("VotingClosed", data(closed)); },
      },
      fact);
}

std::optional<Voting::Event> VotingCodec::decode(const RecordedEvent& recorded) const {
  return read_own(recorded, read_voting);
}

NewEvent VoteCodec::encode(const Vote::Event& fact) const {
  const auto data = [](const auto& vote) {
    return json{{"project_id", vote.project_id},
                {"project_author", vote.project_author.to_string()},
                {"voter", vote.voter.to_string()}};
  };
  return std::visit(
      Overloaded{
          [&](const VoteCast& cast) {
            json fields = data(cast);
            fields["first"] = cast.first;
            return event("VoteCast", fields);
          },
          [&](const VoteWithdrawn& withdrawn) { return event("VoteWithdrawn", data(withdrawn)); },
      },
      fact);
}

std::optional<Vote::Event> VoteCodec::decode(const RecordedEvent& recorded) const {
  return read_own(recorded, read_vote);
}

}  // namespace tideline::projects
