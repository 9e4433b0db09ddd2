#include "uploads/upload_http.hpp"

#include <gtest/gtest.h>

#include "support/sample_images.hpp"

namespace tideline::uploads {
namespace {

constexpr ImageLimits kLimits{64, 100};

UploadedImage read(std::string body) {
  http::Request request;
  request.body = std::move(body);
  request.headers.add("Content-Type", "image/png");
  return read_image(request, kLimits);
}

TEST(UploadHttp, TheBytesSayWhatAnImageIs) {
  const auto image = read(test_support::gif(100, 7));

  EXPECT_EQ(image.content.media_type, "image/gif");
  EXPECT_EQ(image.content.bytes, test_support::gif(100, 7));
  EXPECT_EQ(image.header.height, 7U);
}

TEST(UploadHttp, RefusesWhatIsTooLargeOrNoImage) {
  const auto status = [](std::string body) {
    return http::answer_of([&] {
             read(std::move(body));
             return http::Response();
           })
        .status;
  };
  EXPECT_EQ(status(""), 415);
  EXPECT_EQ(status("<script>"), 415);
  EXPECT_EQ(status(test_support::png(101, 1)), 422);
  EXPECT_EQ(status(test_support::png(1, 101)), 422);
  EXPECT_EQ(status(test_support::png(1, 1) + std::string(64, 'x')), 413);
}

// Holds one content, of kOwner under "a1".
class OneContent final : public ContentStore {
 public:
  core::Result<bool> put(const core::AccountId&, const Content&) override { return false; }
  core::Result<bool> hold(const core::AccountId&, std::span<const std::string>) override {
    return false;
  }
  core::Result<std::optional<Content>> find(const core::AccountId& owner,
                                            const std::string& hash) override {
    if (is_away) return core::unavailable("away");
    if (owner != kOwner || hash != "a1") return std::optional<Content>();
    return std::optional(Content{"image/png", "bytes"});
  }

  static inline const core::AccountId kOwner = core::AccountId(core::AccountId::Bytes{1});
  bool is_away = false;
};

TEST(UploadHttp, AnAnswerCarriesTheHashAndForbidsGuessing) {
  OneContent store;
  const auto ask = [&](const char* hash, Caching caching) {
    return http::answer_of([&] {
      return answer_content(store, OneContent::kOwner, hash, caching, http::not_found());
    });
  };
  const auto fixed = ask("a1", Caching::Immutable);
  EXPECT_EQ(fixed.status, 200);
  EXPECT_EQ(fixed.body, "bytes");
  EXPECT_EQ(fixed.headers.find("Content-Type"), "image/png");
  EXPECT_EQ(fixed.headers.find("ETag"), "\"a1\"");
  EXPECT_EQ(fixed.headers.find("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(fixed.headers.find("Cache-Control"), "private, max-age=31536000, immutable");
  const auto asked = ask("a1", Caching::AskEachTime);
  EXPECT_EQ(asked.headers.find("Cache-Control"), "private, no-cache");
  EXPECT_EQ(ask("b2", Caching::Immutable).status, 404);
  store.is_away = true;
  EXPECT_EQ(ask("a1", Caching::Immutable).status, 503);
}

TEST(UploadHttp, OnlyAHashIsAHash) {
  EXPECT_TRUE(is_content_hash(hash_of("")));
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_FALSE(is_content_hash(hash_of("") + "0"));
  EXPECT_FALSE(is_content_hash(std::string(64, 'A')));
  EXPECT_FALSE(is_content_hash(std::string(63, 'a') + "/"));
  EXPECT_FALSE(is_content_hash(""));
}

}  // namespace
}  // namespace tideline::uploads
