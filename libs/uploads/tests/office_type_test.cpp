#include "uploads/office_type.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/sample_zip.hpp"
#include "uploads/document_type.hpp"
#include "uploads/zip_directory.hpp"

namespace tideline::uploads {
namespace {

using test_support::docx;
using test_support::open_document;
using test_support::open_xml;
using test_support::zip;
using test_support::ZipPart;

TEST(OfficeType, IsFoundByWhatTheFileHolds) {
  const std::string open_xml_types = "application/vnd.openxmlformats-officedocument.";
  for (const char* kind :
       {"wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"}) {
    EXPECT_EQ(document_type_of(open_xml(open_xml_types + kind + ".main+xml")),
              open_xml_types + kind);
  }
  for (const char* kind : {"text", "spreadsheet", "presentation"}) {
    const std::string type = std::string("application/vnd.oasis.opendocument.") + kind;
    EXPECT_EQ(document_type_of(open_document(type)), type);
  }
}

TEST(OfficeType, NoDocumentStaysOtherThanItCame) {
  const std::string bytes = docx();
  EXPECT_EQ(document_content(bytes, *document_type_of(bytes)), bytes);
}

TEST(OfficeType, MacrosTemplatesAndOtherArchivesAreRefused) {
  const auto is_refused = [](const std::string& bytes) { return !document_type_of(bytes); };
  EXPECT_TRUE(is_refused(open_xml("application/vnd.ms-word.document.macroEnabled.main+xml")));
  EXPECT_TRUE(is_refused(open_xml("application/vnd.ms-excel.sheet.MACROENABLED.main+xml")));
  EXPECT_TRUE(is_refused(docx({{"word/vbaProject.bin", "x"}})));
  EXPECT_TRUE(is_refused(docx({{"word/activeX/activeX1.xml", "x"}})));
  EXPECT_TRUE(is_refused(open_xml(
      "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml")));
  const std::string odt = "application/vnd.oasis.opendocument.text";
  EXPECT_TRUE(is_refused(open_document(odt, {{"Basic/Standard/Module1.xml", "x"}})));
  EXPECT_TRUE(is_refused(open_document(odt, {{"Scripts/python/a.py", "x"}})));
  EXPECT_TRUE(is_refused(open_document(odt + "-template")));
  EXPECT_TRUE(is_refused(zip({{"a.txt", "text"}, {"mimetype", odt, false}})));
  EXPECT_TRUE(is_refused(zip({{"mimetype", odt}, {"content.xml", "x"}}))) << "packed";
  EXPECT_TRUE(is_refused(zip({})));
}

TEST(OfficeType, OnlyAFileFromItsFirstByteToItsLastIsOne) {
  const std::string bytes = docx();
  EXPECT_FALSE(document_type_of("#!/bin/sh\n" + bytes));
  EXPECT_FALSE(document_type_of(bytes + "<script>"));
  EXPECT_FALSE(document_type_of(bytes.substr(0, bytes.size() - 1)));
  EXPECT_TRUE(document_type_of(
      zip({{"mimetype", "application/vnd.oasis.opendocument.text", false}}, "a comment")));
}

TEST(OfficeType, ABombIsNotInflated) {
  const std::string type =
      "\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"";
  const std::string large = zip({{"[Content_Types].xml", type + std::string(200 << 20, ' ')}});
  EXPECT_LT(large.size(), 1U << 20U);
  EXPECT_FALSE(document_type_of(large));
  const std::string fits = zip({{"[Content_Types].xml", type + std::string(1000, ' ')}});
  EXPECT_TRUE(document_type_of(fits));
}

TEST(ZipContent, HoldsNoMoreThanIsAskedFor) {
  for (const bool packed : {true, false}) {
    const std::string bytes = zip({{"a", "0123456789", packed}});
    const auto entries = read_zip_directory(bytes);
    ASSERT_TRUE(entries && entries->size() == 1);
    EXPECT_EQ(zip_content(bytes, entries->front(), 10), "0123456789");
    EXPECT_EQ(zip_content(bytes, entries->front(), 9), std::nullopt);
  }
}

// In bounds, whatever stands in the headers: run under a sanitizer.
TEST(OfficeType, DamageIsNoDocumentAndNothingElseHappens) {
  std::mt19937_64 random(7);
  const std::string whole = docx({{"word/media/image.png", std::string(300, 'x'), false}});
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    if (document_type_of(bytes)) ++read;
  }
  EXPECT_GT(read, 0) << "what is not looked at may be anything";
}

}  // namespace
}  // namespace tideline::uploads
