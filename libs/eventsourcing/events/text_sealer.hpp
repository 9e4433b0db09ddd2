// Personal text on its way into events and out of them: the port that codecs seal and open with.
// crypto::SubjectCipher is the real one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::eventsourcing {

// What stands before a text of an older event, which had it in clear: whoever opens texts at all
// gives it back, whether its author has a key or not.
inline constexpr std::string_view kUnsealed = "0.";

struct SealedText {
  core::AccountId author;
  std::string_view sealed;
  std::string_view context;
};

// Thread-safe; seal(), open() and open_many() may block. A context says which field of which event
// the text is: it is part of the data format.
class TextSealer {
 public:
  virtual ~TextSealer() = default;

  // Conflict (not retryable) when the author's key has been destroyed.
  virtual core::Result<std::string> seal(const core::AccountId& author, std::string_view plaintext,
                                         std::string_view context) = 0;
  // nullopt: the key that it was sealed under has been destroyed or lost, the text is gone.
  virtual core::Result<std::optional<std::string>> open(const core::AccountId& author,
                                                        std::string_view sealed,
                                                        std::string_view context) = 0;
  // Of many at once: the answer at [i] belongs to texts[i].
  virtual core::Result<std::vector<std::optional<std::string>>> open_many(
      std::span<const SealedText> texts);
  // What equal texts of a context are found by, whoever wrote them; who lacks the secret learns
  // nothing of the text from it (a blind index).
  virtual std::string index(std::string_view text, std::string_view context) const = 0;
};

// Opens nothing: every sealed field stays empty, and no key is looked up. Seals nothing: an Error.
TextSealer& leave_sealed();

}  // namespace tideline::eventsourcing
