// Whether a password is among the first that somebody would try.
#pragma once

#include <string_view>
#include <vector>

namespace tideline::crypto {

// True if some 2^20 guesses find it, as zxcvbn estimates (Wheeler, "zxcvbn: Low-Budget Password
// Strength Estimation", USENIX Security 2016): its lists hold ten thousand passwords in use, names
// and words, and it knows repetitions, sequences, keyboard rows and replaced letters. `own` are
// words of whoever sets it, which others may know. Looks at the first 100 bytes. Thread-safe; takes
// milliseconds at most.
bool is_easily_guessed(std::string_view password, const std::vector<std::string_view>& own = {});

}  // namespace tideline::crypto
