// Personal text on its way into events and out of them: the port that codecs seal and open with.
// crypto::SubjectCipher is the real one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::eventsourcing {

// Thread-safe; both calls may block. A context says which field of which event the text is: it is
// part of the data format.
class TextSealer {
 public:
  virtual ~TextSealer() = default;

  // Conflict (not retryable) when the author's key has been destroyed.
  virtual core::Result<std::string> seal(const core::AccountId& author, std::string_view plaintext,
                                         std::string_view context) = 0;
  // nullopt: the author's key has been destroyed, the text is gone.
  virtual core::Result<std::optional<std::string>> open(const core::AccountId& author,
                                                        std::string_view sealed,
                                                        std::string_view context) = 0;
};

// Opens nothing: every sealed field stays empty, and no key is looked up. Seals nothing: an Error.
TextSealer& leave_sealed();

}  // namespace tideline::eventsourcing
