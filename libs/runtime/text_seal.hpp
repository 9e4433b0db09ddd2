// Texts that only this installation can make, "<text>.<mac>": the mac is the keyed hash
// (BLAKE2b-128) of purpose and text under a key that all services share. Position tokens are such:
// else anybody could name positions that will never be reached, and every query that waits for them
// would be put aside. So are signed links (http/routing/signed_links.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "crypto/key_folder.hpp"
#include "http/messages/text_seal.hpp"

namespace tideline::runtime {

// What was sealed for one purpose opens for no other. The last key seals, all open. The folder is
// read again at each interval, and when a token was sealed by none of them, for another service may
// have a new one already: once a second at most. A key that comes meanwhile seals when two
// intervals have passed, so that every process has read it. `on_trouble` is told why the folder
// cannot be read. The seal's functions are thread-safe.
http::TextSeal make_text_seal(std::string purpose, std::shared_ptr<crypto::KeyFolder> keys,
                              std::chrono::seconds interval = std::chrono::seconds(60),
                              std::function<void(const std::string&)> on_trouble = {});

}  // namespace tideline::runtime
