// A document that is larger than other bodies may be: sent, and read back whole and in part.
#pragma once

#include "demo/campus.hpp"

namespace tideline::demo {

// Of the first project that stands; nothing without one. Throws UnexpectedAnswer where what is read
// is not what was sent.
void verify_large_document(Client& client, Campus& campus);

}  // namespace tideline::demo
