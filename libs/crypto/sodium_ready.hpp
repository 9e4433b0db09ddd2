// libsodium wants one call before any other. Private to this folder.
#pragma once

namespace tideline::crypto {

// Idempotent, thread-safe; cheap after the first call.
void sodium_ready();

}  // namespace tideline::crypto
