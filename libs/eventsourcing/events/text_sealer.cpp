#include "eventsourcing/events/text_sealer.hpp"

#include <utility>

namespace tideline::eventsourcing {
namespace {

class LeaveSealed final : public TextSealer {
 public:
  core::Result<std::string> seal(const core::AccountId&, std::string_view,
                                 std::string_view context) override {
    return core::internal_error("nothing seals " + std::string(context) + " here");
  }
  core::Result<std::optional<std::string>> open(const core::AccountId&, std::string_view,
                                                std::string_view) override {
    return std::optional<std::string>();
  }
  std::string index(std::string_view, std::string_view) const override { return ""; }
};

}  // namespace

core::Result<std::vector<std::optional<std::string>>> TextSealer::open_many(
    std::span<const SealedText> texts) {
  std::vector<std::optional<std::string>> opened;
  opened.reserve(texts.size());
  for (const SealedText& text : texts) {
    auto one = open(text.author, text.sealed, text.context);
    if (!one) return one.error();
    opened.push_back(std::move(*one));
  }
  return opened;
}

TextSealer& leave_sealed() {
  static LeaveSealed sealer;
  return sealer;
}

}  // namespace tideline::eventsourcing
