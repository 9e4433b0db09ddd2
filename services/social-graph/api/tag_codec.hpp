// Events of tags and taggings, as they are stored: the name of a tag sealed under its owner's key.
// Thread-safe; TagCodec can block on the keys.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "crypto/subject_cipher.hpp"
#include "eventsourcing/event.hpp"
#include "social-graph/domain/tag.hpp"
#include "social-graph/domain/tagging.hpp"

namespace tideline::social_graph {

class TagCodec {
 public:
  // `seen` by the writer of what is encoded.
  explicit TagCodec(crypto::SubjectCipher& cipher, std::string seen = "")
      : cipher_(cipher), seen_(std::move(seen)) {}
  eventsourcing::NewEvent encode(const Tag::Event& event) const;
  std::optional<Tag::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

 private:
  crypto::SubjectCipher& cipher_;
  const std::string seen_;
};

struct TaggingCodec {
  eventsourcing::NewEvent encode(const Tagging::Event& event) const;
  std::optional<Tagging::Event> decode(const eventsourcing::RecordedEvent& recorded) const;

  std::string seen{};  // by the writer of what is encoded
};

}  // namespace tideline::social_graph
