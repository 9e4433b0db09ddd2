// Between a domain's events and what is stored. A codec is written beside the routes (api/) and
// knows every event of its aggregate, with upcasting of older schema versions:
//
//   struct CommentsCodec {
//     eventsourcing::NewEvent encode(const Comments::Event&) const;
//     std::optional<Comments::Event> decode(const RecordedEvent&) const;  // nullopt: unknown type
//   };
//
// Codecs may hold what they need to seal and open personal fields; they are called from many
// threads at once. Where that fails (a subject key cannot be read) they throw CodecFailed, which
// run_command turns into its Error.
#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/result.hpp"
#include "eventsourcing/events/event.hpp"

namespace tideline::eventsourcing {

class CodecFailed : public core::Failed {
 public:
  using Failed::Failed;
};

template <class C, class D>
concept CodecOf = requires(const C& codec, const typename D::Event& event,
                           const RecordedEvent& recorded) {
  { codec.encode(event) } -> std::same_as<NewEvent>;
  { codec.decode(recorded) } -> std::same_as<std::optional<typename D::Event>>;
};

}  // namespace tideline::eventsourcing
