#include "uploads/document_type.hpp"

#include <gtest/gtest.h>

#include "support/sample_images.hpp"

namespace tideline::uploads {
namespace {

const std::string kPdf = "%PDF-1.7\n1 0 obj\n\xff\x01\nstartxref\n0\n%%EOF\n";

TEST(DocumentType, IsFoundByTheContent) {
  EXPECT_EQ(document_type_of(kPdf), "application/pdf");
  EXPECT_EQ(document_type_of(test_support::jpeg(2, 3)), "image/jpeg");
  EXPECT_EQ(document_type_of("计划书\r\n\tone"), "text/plain; charset=utf-8");
  EXPECT_EQ(document_type_of("<html>"), "text/plain; charset=utf-8") << "shown as it is written";
}

TEST(DocumentType, ATextThatBeginsLikeAnImageIsKeptWhole) {
  const std::string text = "GIF89a was released in 1989";
  EXPECT_EQ(document_type_of(text), "text/plain; charset=utf-8");
  const auto stored = [](const std::string& bytes) {
    return document_content(bytes, *document_type_of(bytes));
  };
  EXPECT_EQ(stored(text), text);
  EXPECT_EQ(stored(kPdf), kPdf);
  EXPECT_EQ(stored(test_support::gif(2, 3) + "a comment"), test_support::gif(2, 3));
}

TEST(DocumentType, NothingElseIsOne) {
  EXPECT_FALSE(document_type_of("").has_value());
  EXPECT_FALSE(document_type_of(std::string("a\0b", 3)).has_value());
  EXPECT_FALSE(document_type_of("caf\xe9").has_value());
  EXPECT_FALSE(document_type_of("PK\x03\x04 an archive").has_value());
  EXPECT_FALSE(document_type_of(kPdf.substr(0, kPdf.size() - 6)).has_value()) << "cut off";
  EXPECT_FALSE(document_type_of("%PDF-x.y\n\x01%%EOF").has_value());
}

}  // namespace
}  // namespace tideline::uploads
