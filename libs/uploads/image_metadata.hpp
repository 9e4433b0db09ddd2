// An image without what a camera or a program has written beside the picture: the place, the time,
// the device, names, comments, thumbnails of an earlier state. What a viewer needs to show it
// stays, bit for bit: pixels, transparency, colours (ICC profiles), animation, and how a photo
// (JPEG, WebP) is to be turned.
//
// A pure function over bytes from outside, in bounds and linear in them. Only blocks that are known
// to be of the picture are kept; of a file that is broken or cut off, what lies ahead of the break.
#pragma once

#include <string>
#include <string_view>

namespace tideline::uploads {

// What is no image comes back as it is. An image whose first block is broken may come back as none.
// Of what comes back this makes the same again.
std::string without_metadata(std::string_view bytes);

// The same of the first frame alone of a GIF, for who decodes no other: a GIF of a few megabytes
// can have a million frames.
std::string still_without_metadata(std::string_view bytes);

}  // namespace tideline::uploads
