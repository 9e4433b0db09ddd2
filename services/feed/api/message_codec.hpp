// Messages as they are stored, the text sealed under its sender's key, and which have been read.
// See schemas/events/feed.
#pragma once

#include <optional>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "feed/domain/message.hpp"
#include "feed/domain/message_reading.hpp"

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

// Thread-safe. Throws eventsourcing::CodecFailed when an event is damaged.
class MessageReadingCodec {
 public:
  eventsourcing::NewEvent encode(const MessageReading::Event& event) const;
  std::optional<MessageReading::Event> decode(const eventsourcing::RecordedEvent& recorded) const;
};

}  // namespace tideline::feed
