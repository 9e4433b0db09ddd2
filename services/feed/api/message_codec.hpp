// Messages as they are stored: the text sealed under its sender's key. See schemas/events/feed.
#pragma once

#include <optional>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "feed/domain/message.hpp"

namespace tideline::feed {

// Context of the cipher: part of the data format.
inline constexpr std::string_view kMessageText = "MessageSent.text";

// Thread-safe. Throws eventsourcing::CodecFailed when the cipher fails or an event is damaged.
class MessageCodec {
 public:
  explicit MessageCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}

  eventsourcing::NewEvent encode(const Message::Event& event) const;
  // The text of a sender whose key was destroyed is "".
  std::optional<Message::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

}  // namespace tideline::feed
