#include "http/messages/content_coding.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace tideline::http {
namespace {

std::string gunzip(const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return "no memory";
  std::string plain(4 * 1024 * 1024, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  const int end = inflate(&stream, Z_FINISH);
  plain.resize(plain.size() - stream.avail_out);
  inflateEnd(&stream);
  return end == Z_STREAM_END && stream.avail_in == 0 ? plain : "not one whole gzip member";
}

TEST(ContentCoding, ChoosesByWeight) {
  for (const char* taken :
       {"gzip", "GZIP", "x-gzip", "*", "deflate, gzip;q=0.1", "br,gzip", "gzip;q=0.001",
        "gzip ; q=1.000", "identity;q=0.5, gzip;q=0.5", "identity;q=0.2,*;q=0.3",
        "gzip;q=1.0, *;q=0", ",, gzip", "gzip;q=7, gzip;Q=0.3"}) {
    EXPECT_TRUE(prefers_gzip(taken)) << taken;
  }
  for (const char* refused :
       {"", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "*, gzip;q=0", "gzipped",
        "identity;q=1, gzip;q=0.5", "identity, *;q=0.9", "gzip;q=1.001", "gzip;q=0.1234",
        "gzip;q=-1", "gzip;q=", "gzip;level=1", "gz ip", "gzip;q=.5"}) {
    EXPECT_FALSE(prefers_gzip(refused)) << refused;
  }
}

TEST(ContentCoding, WhatIsPackedComesOutAgain) {
  EXPECT_EQ(gunzip(gzip("")), "");
  const std::string json = [] {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += R"({"user_id":")" + std::to_string(i) + "\"},";
    return text;
  }();
  const std::string packed = gzip(json);
  EXPECT_LT(packed.size(), json.size() / 4);
  EXPECT_EQ(gunzip(packed), json);
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    std::string noise(random() % 100'000, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    EXPECT_EQ(gunzip(gzip(noise)), noise) << "the thread's memory is used again: round " << round;
  }
}

}  // namespace
}  // namespace tideline::http
