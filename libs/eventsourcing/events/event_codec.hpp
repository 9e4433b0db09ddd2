// The codec of every aggregate: its events by what the build has made of schemas/events. Holds
// what it seals and opens with; thread-safe.
//
//   session.load<Moment>(stream, EventCodec<Moment>(cipher));
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "eventsourcing/events/codec.hpp"
#include "eventsourcing/events/poison_event.hpp"
#include "eventsourcing/events/stored.hpp"

namespace tideline::eventsourcing {

// A decider that writes personal text and never looks at it again says
// `static constexpr bool kReadsText = false`: no key is fetched to load it.
template <class D>
concept ReadsText = !requires {
  requires !D::kReadsText;
};

template <class D>
class EventCodec {
 public:
  // For an aggregate without personal text, or one whose personal text is not asked for.
  EventCodec() : sealer_(&leave_sealed()) {}
  // `sealer` must outlive it.
  explicit EventCodec(TextSealer& sealer) : sealer_(&sealer) {}

  NewEvent encode(const typename D::Event& event) const {
    return std::visit(
        [&](const auto& fact) {
          using Form = Stored<std::decay_t<decltype(fact)>>;
          return NewEvent{.type = std::string(Form::kType),
                          .schema_version = core::SchemaVersion(Form::kSchemaVersion),
                          .data = Form::encode(fact, *sealer_),
                          .visibility = Form::kVisibility};
        },
        event);
  }

  // nullopt: no event of D. In the own store, data that breaks its description is damage and no
  // input: CodecFailed.
  std::optional<typename D::Event> decode(const RecordedEvent& recorded) const {
    return decode(recorded, *sealer_);
  }
  // The same for whoever decides: without the text, where D does not look at it.
  std::optional<typename D::Event> decode_to_decide(const RecordedEvent& recorded) const {
    return decode(recorded, ReadsText<D> ? *sealer_ : leave_sealed());
  }

 private:
  static std::optional<typename D::Event> decode(const RecordedEvent& recorded,
                                                 TextSealer& opener) {
    try {
      return decode_as(recorded, opener, static_cast<const typename D::Event*>(nullptr));
    } catch (const PoisonEvent& poison) {
      throw CodecFailed(core::internal_error(poison.what()));
    }
  }
  template <class... Events>
  static std::optional<typename D::Event> decode_as(const RecordedEvent& recorded,
                                                    TextSealer& opener,
                                                    const std::variant<Events...>*) {
    std::optional<typename D::Event> event;
    const auto try_one = [&]<class Event>(const Event*) {
      if (event || recorded.type != Stored<Event>::kType) return;
      event.emplace(Stored<Event>::decode(EventData(recorded), opener));
    };
    (try_one(static_cast<const Events*>(nullptr)), ...);
    return event;
  }

  TextSealer* sealer_;
};

}  // namespace tideline::eventsourcing
