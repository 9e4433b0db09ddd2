// Events of other services: a broken one is PoisonEvent, and nothing else happens.
#include "eventsourcing/events/event_data.hpp"

#include "core/time_ordered_id.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  std::string_view input = fuzz::as_text(data, size);
  const auto kind = fuzz::take_choice(input) % 16;
  eventsourcing::RecordedEvent event;
  event.type = "Fuzzed";
  event.data = std::string(input);
  try {
    const eventsourcing::EventData fields(event);
    switch (kind) {
      case 0:
        (void)fields.text("f");
        break;
      case 1:
        (void)fields.nullable_text("f");
        break;
      case 2:
        (void)fields.id("f");
        break;
      case 3:
        (void)fields.account("f");
        break;
      case 4:
        (void)fields.boolean("f");
        break;
      case 5:
        (void)fields.integer("f");
        break;
      case 6:
        (void)fields.time("f");
        break;
      case 7:
        (void)fields.day("f");
        break;
      case 8:
        (void)fields.texts("f");
        break;
      case 9:
        (void)fields.accounts("f");
        break;
      case 10:
        (void)fields.nullable_integer("f");
        break;
      case 11:
        (void)fields.nullable_account("f");
        break;
      case 12:
        (void)fields.integer("f", 1, 19);
        break;
      case 13:
        (void)fields.parsed_list("f", core::parse_moment_id);
        break;
      case 14:
        (void)fields.seen(1);
        break;
      default:
        for (const auto& inner : fields.objects("f")) (void)inner.text("f");
    }
  } catch (const eventsourcing::PoisonEvent&) {
    // What a projection parks.
  }
  return 0;
}
