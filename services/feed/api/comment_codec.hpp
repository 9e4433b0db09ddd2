// Comments as they are stored: the text sealed under its writer's key. See schemas/events/feed.
#pragma once

#include <optional>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "feed/domain/comment.hpp"

namespace tideline::feed {

// Context of the cipher: part of the data format.
inline constexpr std::string_view kCommentText = "CommentAdded.text";

// Thread-safe. Throws eventsourcing::CodecFailed when the cipher fails or an event is damaged.
class CommentCodec {
 public:
  explicit CommentCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}

  eventsourcing::NewEvent encode(const Comment::Event& event) const;
  // The text of a writer whose key was destroyed is "".
  std::optional<Comment::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

}  // namespace tideline::feed
