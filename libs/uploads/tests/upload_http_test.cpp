#include "uploads/upload_http.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/pictures.hpp"
#include "uploads/image_store_in_memory.hpp"

namespace tideline::uploads {
namespace {

constexpr std::array kNoGif{ImageKind::Png, ImageKind::Jpeg, ImageKind::WebP};

images::Renditions read(std::string body, std::span<const ImageKind> kinds = kImageKinds,
                        std::ptrdiff_t at_once = 1) {
  http::Request request;
  request.body = std::move(body);
  request.headers.add("Content-Type", "image/png");
  images::RenditionMaker maker(at_once);
  return read_image(request, maker, kinds);
}

http::Response answered(std::string body, std::span<const ImageKind> kinds = kImageKinds,
                        std::ptrdiff_t at_once = 1) {
  return http::answer_of([&] {
    read(std::move(body), kinds, at_once);
    return http::Response();
  });
}

TEST(UploadHttp, TheBytesSayWhatAnImageIs) {
  const auto image = read(test_support::picture(300, 7));

  EXPECT_EQ(image.width, 300U);
  EXPECT_EQ(image.height, 7U);
  EXPECT_EQ(read_image_header(image.large), (ImageHeader{ImageKind::WebP, 300, 7}));
  EXPECT_EQ(read_image_header(image.small.value()), (ImageHeader{ImageKind::WebP, 160, 4}));
}

TEST(UploadHttp, AGifIsItsFirstFrame) {
  std::string sent("GIF89a\2\0\1\0\x80\0\0\xff\0\0\0\0\xff", 19);
  for (int i = 0; i < 10'000; ++i) {
    sent += std::string("\x2c\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0", 15);
  }
  EXPECT_EQ(read(sent + ";").width, 2U);
  EXPECT_EQ(answered(sent + ";", kNoGif).status, 415);
}

TEST(UploadHttp, RefusesWhatIsTooLargeOrNoImage) {
  EXPECT_EQ(answered("").status, 415);
  EXPECT_EQ(answered("<script>").status, 415);
  const auto code = [](const http::Response& response) {
    EXPECT_EQ(response.status, 422) << response.body;
    return http::Json::parse(response.body).at("type").get<std::string>();
  };
  EXPECT_EQ(code(answered(test_support::png(16'385, 1))), "urn:tideline:problem:image-too-large");
  EXPECT_EQ(code(answered(test_support::png(60'000, 60'000))),
            "urn:tideline:problem:image-too-large");
  EXPECT_EQ(code(answered(test_support::jpeg(10'000, 5'001))),
            "urn:tideline:problem:image-too-large");
  EXPECT_EQ(code(answered(test_support::png(1, 1))), "urn:tideline:problem:image-broken");
  EXPECT_EQ(answered(test_support::picture(1, 1) + std::string(kImageBytesMax, 'x')).status, 413);
  EXPECT_NE(answered(test_support::picture(1, 1) + std::string(kImageBytesMax / 2, 'x')).status,
            413);
}

TEST(UploadHttp, IsAskedAgainWhileOthersAreMade) {
  const auto response = answered(test_support::picture(1, 1), kImageKinds, 0);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.headers.find("Retry-After"), "1");
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

TEST(UploadHttp, AnImageIsAnsweredInTheSizeThatWasAskedFor) {
  OneContent store;
  InMemoryImageStore images(store);
  const auto ask = [&](std::optional<std::string> size) {
    return http::answer_of([&] {
      http::Request request;
      if (size) request.query_parameters.emplace_back("size", *size);
      return answer_image(images, OneContent::kOwner, "a1", read_image_size(request),
                          Caching::Immutable, http::not_found());
    });
  };
  EXPECT_EQ(ask(std::nullopt).headers.find("ETag"), "\"a1\"");
  EXPECT_EQ(ask("large").headers.find("ETag"), "\"a1\"");
  EXPECT_EQ(ask("medium").headers.find("ETag"), "\"a1-medium\"");
  EXPECT_EQ(ask("small").headers.find("ETag"), "\"a1-small\"");
  EXPECT_EQ(ask("small").body, "bytes") << "an upload of before there were sizes";
  EXPECT_EQ(ask("huge").status, 400);
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
