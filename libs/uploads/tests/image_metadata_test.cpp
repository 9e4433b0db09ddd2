#include "uploads/image_metadata.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/sample_images.hpp"
#include "uploads/image_header.hpp"

namespace tideline::uploads {
namespace {

using namespace test_support;
using namespace std::string_literals;

// A part of a file, and whether it belongs to the picture.
struct Part {
  std::string bytes;
  bool stays = true;
};

struct File {
  std::string begin;
  std::vector<Part> parts;
  std::string end;

  std::string whole() const {
    std::string bytes = begin;
    for (const Part& part : parts) bytes += part.bytes;
    return bytes + end;
  }
  std::string picture() const {
    std::string bytes = begin;
    for (const Part& part : parts) bytes += part.stays ? part.bytes : "";
    return bytes + end;
  }
};

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size()), 4) + type + data + "crc.";
}

File a_png() {
  return {png(3, 4),
          {{chunk("gAMA", "1234")},
           {chunk("eXIf", "MM\0*where"s), false},
           {chunk("tEXt", "Author\0Ada"s), false},
           {chunk("PLTE", "rgb")},
           {chunk("iTXt", "XML:com.adobe.xmp"), false},
           {chunk("tRNS", "t")},
           {chunk("IDAT", "pixels")},
           {chunk("tIME", "1234567"), false},
           {chunk("zzZz", "of a program's own"), false}},
          chunk("IEND", "")};
}

std::string segment(unsigned marker, const std::string& content) {
  return "\xff"s + static_cast<char>(marker) +
         big_endian(static_cast<std::uint32_t>(content.size() + 2), 2) + content;
}

const std::string kFrame = segment(0xc0, "\x08\0\x04\0\x03\x01\x01\x11\0"s);
const std::string kJfif = segment(0xe0, "JFIF\0\x01\x02\x01\0\x48\0\x48\0\0"s);

File a_jpeg() {
  return {"\xff\xd8"s + kJfif,
          {{segment(0xe1, "http://ns.adobe.com/xap/1.0/\0Ada"s), false},
           {segment(0xe1, "Exif\0\0II*\0\x08\0\0\0\0\0 somewhere"s), false},
           {segment(0xe2, "ICC_PROFILE\0\x01\x01 colours"s)},
           {segment(0xe2, "MPF\0 another picture"s), false},
           {segment(0xed, "Photoshop 3.0\0Ada"s), false},
           {segment(0xee, "Adobe\0\x64\0\0\0\0\0"s)},
           {segment(0xfe, "a comment"), false},
           {segment(0xdb, "q")},
           {kFrame},
           {segment(0xda, "scan") + "coded\xff\0data\xff\xd0 and more"s},
           {segment(0xfe, "between the scans"), false},
           {segment(0xda, "scan") + "coded"}},
          "\xff\xd9"};
}

File a_gif() {
  return {"GIF89a" + little_endian(3, 2) + little_endian(4, 2) + "\x80\0\0rgbrgb"s,
          {{"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"s},
           {"\x21\xff\x0bNETSCAPE2.0\x05 here\0"s, false},
           {"\x21\xfe\x03"
            "Ada\x05 was \0"s,
            false},
           {"\x21\xff\x0bXMP DataXMP\x04here\0"s, false},
           {"\x21\xf9\x04\0\0\0\0\0"s},
           {"\x2c"s + std::string(8, '\0') + "\x80rgbrgb\x02\x03 ab\0"s}},
          ";"};
}

std::string riff(const std::string& name, const std::string& data) {
  return name + little_endian(static_cast<std::uint32_t>(data.size()), 4) + data +
         std::string(data.size() % 2, '\0');
}

std::string webp_file(const std::string& chunks) {
  return "RIFF" + little_endian(static_cast<std::uint32_t>(chunks.size() + 4), 4) + "WEBP" + chunks;
}

// With these flags, and what a TIFF structure may say of how it is turned.
std::string a_webp(unsigned flags, const std::string& metadata) {
  const std::string head =
      static_cast<char>(flags) + "\0\0\0"s + little_endian(2, 3) + little_endian(3, 3);
  return webp_file(riff("VP8X", head) + riff("ICCP", "colours") +
                   riff("VP8L", "\x2f\x02\xc0\0\0 odd"s) + metadata);
}

// A TIFF structure of a place, and of an orientation in the byte order of its first letters.
std::string tiff(bool big, std::uint32_t orientation) {
  const auto number = [big](std::uint32_t value, std::size_t count) {
    return big ? big_endian(value, count) : little_endian(value, count);
  };
  return (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) +  //
         number(0x010f, 2) + number(2, 2) + number(4, 4) + "Ada\0"s + number(0x0112, 2) +
         number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4);
}

TEST(ImageMetadata, ThePictureStaysAndNothingElse) {
  for (const File& file : {a_png(), a_jpeg(), a_gif()}) {
    ASSERT_TRUE(read_image_header(file.whole()).has_value());
    EXPECT_EQ(without_metadata(file.whole()), file.picture());
    EXPECT_EQ(without_metadata(file.whole() + "hidden behind its end"), file.picture());
  }
  EXPECT_EQ(without_metadata(
                a_webp(0x2c, riff("EXIF", "somewhere") + riff("XMP ", "Ada") + riff("else", "?"))),
            a_webp(0x20, ""));
}

TEST(ImageMetadata, AFrameOfAnAnimationHasNoChunksOfItsOwn) {
  const std::string place(16, '\1');
  const auto animated = [&](const std::string& metadata) {
    return a_webp(
        0x02, riff("ANIM", "123456") +
                  riff("ANMF", place + riff("ALPH", "alpha") + metadata + riff("VP8 ", "pixels")));
  };
  EXPECT_EQ(without_metadata(animated(riff("else", "Ada"))), animated(""));
}

// ITU T.81, B.1.1.2: any marker may be filled. What lies between segments decoders pass over.
TEST(ImageMetadata, AJpegIsReadAsDecodersReadIt) {
  const std::string begin = "\xff\xd8"s + kFrame;
  const std::string scan = segment(0xda, "scan") + "coded\xff\xff\xff\xd0 and\xff\xff\0 more"s;
  EXPECT_EQ(without_metadata(begin + "\xff\xff" + scan + "\xff\xff\xd9"),
            begin + scan + "\xff\xd9");
  EXPECT_EQ(without_metadata(begin + "stray\xff\0\xff\x01"s + scan + "\xff\xd9"),
            begin + scan + "\xff\xd9");
}

TEST(ImageMetadata, WhatIsNoImageComesBackAsItIs) {
  for (const std::string& bytes : {""s, "%PDF-1.7"s, "text"s, "\x89PNG"s}) {
    EXPECT_EQ(without_metadata(bytes), bytes);
  }
}

TEST(ImageMetadata, APhotoIsTurnedAsItWas) {
  for (const bool big : {true, false}) {
    for (std::uint32_t orientation = 0; orientation < 10; ++orientation) {
      const bool is_kept = orientation >= 2 && orientation <= 8;
      const std::string sent = tiff(big, orientation);
      const std::string jpeg =
          without_metadata("\xff\xd8"s + segment(0xe1, "Exif\0\0"s + sent) + kFrame + "\xff\xd9");
      const std::string webp = without_metadata(a_webp(0x08, riff("EXIF", sent)));
      EXPECT_EQ(jpeg.find("Ada"), std::string::npos);
      EXPECT_EQ(webp.find("Ada"), std::string::npos);
      const std::string kept = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s +
                               static_cast<char>(orientation) + std::string(6, '\0');
      EXPECT_EQ(jpeg, "\xff\xd8"s + (is_kept ? segment(0xe1, "Exif\0\0"s + kept) : "") + kFrame +
                          "\xff\xd9");
      EXPECT_EQ(webp, is_kept ? a_webp(0x08, riff("EXIF", kept)) : a_webp(0, "")) << orientation;
    }
  }
}

TEST(ImageMetadata, AThumbnailOfAnEarlierStateGoes) {
  const std::string with_one = segment(0xe0, "JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01rgb"s);
  EXPECT_EQ(without_metadata("\xff\xd8"s + with_one + kFrame + "\xff\xd9"),
            "\xff\xd8"s + kJfif + kFrame + "\xff\xd9");
  const std::string extended = segment(0xe0, "JFXX\0\x13\x01\x01rgb"s);
  EXPECT_EQ(without_metadata("\xff\xd8"s + kJfif + extended + kFrame + "\xff\xd9"),
            "\xff\xd8"s + kJfif + kFrame + "\xff\xd9");
}

// Cut off anywhere: nothing appears that was not there, and all that comes before the cut is as in
// the whole.
TEST(ImageMetadata, OfAFileThatIsCutOffTheBeginningStays) {
  for (const File& file : {a_png(), a_jpeg(), a_gif()}) {
    const std::string whole = file.whole();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      if (!read_image_header(cut)) continue;
      EXPECT_TRUE(file.picture().starts_with(without_metadata(cut))) << size;
    }
  }
}

// Whatever is done to a file, what comes out is of it and has no more to lose.
RC_GTEST_PROP(ImageMetadataLaw, MetadataGoesAtOnce, ()) {
  std::string bytes =
      *rc::gen::element(a_png().whole(), a_jpeg().whole(), a_gif().whole(),
                        a_webp(0x2c, riff("EXIF", tiff(true, 6)) + riff("XMP ", "Ada")));
  const auto place = rc::gen::inRange<std::size_t>(0, bytes.size());
  for (int changes = *rc::gen::inRange(0, 6); changes > 0; --changes) {
    bytes[*place] = *rc::gen::element('\0', '\x01', '\x7f', '\xff', *rc::gen::arbitrary<char>());
  }
  if (*rc::gen::inRange(0, 4) == 0) bytes.resize(*place);
  const std::string cleaned = without_metadata(bytes);
  RC_ASSERT(without_metadata(cleaned) == cleaned);
  const auto header = read_image_header(cleaned);
  RC_CLASSIFY(header.has_value(), "an image");
  if (header) RC_ASSERT(header == read_image_header(bytes));
}

TEST(ImageMetadata, AStillGifEndsBehindItsFirstFrame) {
  const std::string screen("GIF89a\2\0\1\0\x80\0\0\xff\0\0\0\0\xff", 19);
  const std::string frame("\x2c\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0", 15);
  EXPECT_EQ(still_without_metadata(screen + frame + frame + frame + ";"), screen + frame + ";");
  EXPECT_EQ(still_without_metadata(screen + frame + ";"), screen + frame + ";");
  EXPECT_EQ(without_metadata(screen + frame + frame + ";"), screen + frame + frame + ";");
}

}  // namespace
}  // namespace tideline::uploads
