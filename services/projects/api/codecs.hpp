// The events of this service, as they are stored: cards, comments, advice and titles of documents
// sealed under their author's key. Thread-safe. Those that seal can block on the keys, and throw
// CodecFailed when that fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "projects/domain/advice.hpp"
#include "projects/domain/comments.hpp"
#include "projects/domain/documents.hpp"
#include "projects/domain/project.hpp"
#include "projects/domain/vote.hpp"
#include "projects/domain/voting.hpp"

namespace tideline::projects {

// Contexts of the cipher: part of the data format.
inline constexpr std::string_view kCardContext = "Project.card";
inline constexpr std::string_view kCommentContext = "CommentAdded.text";
inline constexpr std::string_view kAdviceContext = "AdviceGiven.text";
inline constexpr std::string_view kDocumentContext = "DocumentAdded.title";

// A card as the JSON that is sealed: {"name", "introduction", "link"}.
std::string card_to_json(const Card& card);
// nullopt for what card_to_json would not have written.
std::optional<Card> card_from_json(std::string_view json);

class ProjectCodec {
 public:
  explicit ProjectCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}
  eventsourcing::NewEvent encode(const Project::Event& event) const;
  std::optional<Project::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

class CommentsCodec {
 public:
  explicit CommentsCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}
  eventsourcing::NewEvent encode(const Comments::Event& event) const;
  std::optional<Comments::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

class AdviceCodec {
 public:
  explicit AdviceCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}
  eventsourcing::NewEvent encode(const Advice::Event& event) const;
  std::optional<Advice::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

class DocumentsCodec {
 public:
  explicit DocumentsCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}
  eventsourcing::NewEvent encode(const Documents::Event& event) const;
  std::optional<Documents::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

struct VotingCodec {
  eventsourcing::NewEvent encode(const Voting::Event& event) const;
  std::optional<Voting::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

struct VoteCodec {
  eventsourcing::NewEvent encode(const Vote::Event& event) const;
  std::optional<Vote::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::projects
