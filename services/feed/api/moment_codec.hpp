// Moments as they are stored: the content sealed under its author's key. See schemas/events/feed.
#pragma once

#include <optional>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/codec.hpp"
#include "feed/domain/moment.hpp"

namespace tideline::feed {

// Contexts of the cipher: part of the data format.
inline constexpr std::string_view kMomentContent = "MomentPublished.content";
inline constexpr std::string_view kEditedContent = "MomentEdited.content";

// Thread-safe. Throws eventsourcing::CodecFailed when the cipher fails or an event is damaged.
class MomentCodec {
 public:
  explicit MomentCodec(crypto::SubjectCipher& cipher) : cipher_(cipher) {}

  eventsourcing::NewEvent encode(const Moment::Event& event) const;
  // The content of an author whose key was destroyed is "".
  std::optional<Moment::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
};

}  // namespace tideline::feed
