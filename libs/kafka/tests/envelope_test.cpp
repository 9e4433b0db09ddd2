#include "kafka/envelope.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tideline::kafka {
namespace {

using eventsourcing::RecordedEvent;
using eventsourcing::Visibility;

RecordedEvent sample() {
  RecordedEvent event;
  event.id = "01890a5d-ac96-774b-bcce-b302099a8057";
  event.source = "feed";
  event.type = "MomentPublished";
  event.schema_version = core::SchemaVersion(2);
  event.stream = core::StreamId("moment-17");
  event.version = core::StreamVersion(3);
  event.log = core::LogIndex(5);
  event.position = core::LogPosition(42);
  event.time = core::Timestamp(std::chrono::microseconds(1'767'323'045'678'901));
  event.metadata = {"correlation", "causation", "00-trace-01 vendor=a b,other=c"};
  event.data = R"({"moment_id":"17"})";
  return event;
}

// A record that can be spoilt.
struct Header {
  std::string_view name;
  std::string value;
};
struct Record {
  std::string key;
  std::string value;
  std::vector<Header> headers;
};

Record encode(const RecordedEvent& event) {
  Encoder encoder;
  const RecordView view = encoder.encode(event);
  Record record{std::string(view.key), std::string(view.value), {}};
  for (const HeaderView& header : view.headers) {
    record.headers.push_back({header.name, std::string(header.value)});
  }
  return record;
}

struct View {
  explicit View(const Record& record) {
    for (const Header& header : record.headers) headers.push_back({header.name, header.value});
    view = {record.key, record.value, headers};
  }
  std::vector<HeaderView> headers;
  RecordView view;
};

core::Result<RecordedEvent> round_trip(const Record& record) {
  const View view(record);
  return decode(view.view, core::LogIndex(5));
}

void expect_same(const RecordedEvent& a, const RecordedEvent& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.schema_version, b.schema_version);
  EXPECT_EQ(a.stream, b.stream);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.log, b.log);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.metadata.correlation_id, b.metadata.correlation_id);
  EXPECT_EQ(a.metadata.causation_id, b.metadata.causation_id);
  EXPECT_EQ(a.metadata.traceparent, b.metadata.traceparent);
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.visibility, b.visibility);
}

std::string header(const Record& record, std::string_view name) {
  for (const Header& one : record.headers) {
    if (one.name == name) return one.value;
  }
  return "(none)";
}

std::string& own(Record& record) {
  return std::find_if(record.headers.begin(), record.headers.end(),
                      [](const Header& one) { return one.name == "ce_tideline"; })
      ->value;
}

// Takes the field out of the header `ce_tideline`.
void leave_out(Record& record, const std::string& field) {
  std::string& text = own(record);
  const std::size_t begin = text.find(field + "=");
  text.erase(begin, text.find(' ', begin) - begin);
}

TEST(Envelope, IsCloudEventsInBinaryMode) {
  const Record record = encode(sample());
  EXPECT_EQ(record.key, "moment-17");
  EXPECT_EQ(record.value, R"({"moment_id":"17"})");
  EXPECT_EQ(header(record, "ce_specversion"), "1.0");
  EXPECT_EQ(header(record, "ce_type"), "MomentPublished");
  EXPECT_EQ(header(record, "ce_source"), "feed");
  EXPECT_EQ(header(record, "ce_time"), "2026-01-02T03:04:05.678901Z");
  EXPECT_EQ(header(record, "ce_tideline"),
            "position=42 stream_version=3 schema_version=2 correlation_id=correlation"
            " causation_id=causation");
  EXPECT_EQ(header(record, "traceparent"), "00-trace-01");
  EXPECT_EQ(header(record, "tracestate"), "vendor=a b,other=c");
  EXPECT_EQ(record.headers.size(), 8U) << "what is the same on all records is on none";
}

// CloudEvents SDKs keep attributes, whose headers begin with "ce_" and go on in lower case letters
// and digits, and drop other headers.
TEST(Envelope, IsWholeAfterAnSdkHasReadAndWrittenIt) {
  Record record = encode(sample());
  std::erase_if(record.headers, [](const Header& one) {
    return !one.name.starts_with("ce_") && !one.name.starts_with("trace");
  });
  for (const Header& one : record.headers) {
    EXPECT_EQ(one.name.substr(3).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"),
              std::string::npos)
        << one.name;
  }
  const auto decoded = round_trip(record);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  expect_same(*decoded, sample());
}

TEST(Envelope, TheOlderNameOfTheOwnHeaderIsRead) {
  Record record = encode(sample());
  for (Header& one : record.headers) {
    if (one.name == "ce_tideline") one.name = "tideline";
  }
  const auto decoded = round_trip(record);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  expect_same(*decoded, sample());
}

// As records lie in topics that were written before.
TEST(Envelope, WhatIsTheSameOnAllRecordsMayStandOnThem) {
  Record record = encode(sample());
  record.headers.push_back({"content-type", "application/json"});
  own(record) += " private=false";
  const auto decoded = round_trip(record);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  expect_same(*decoded, sample());
}

TEST(Envelope, ComesBackAsItWent) {
  const auto decoded = round_trip(encode(sample()));
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  expect_same(*decoded, sample());
}

TEST(Envelope, ATraceWithoutStateHasNoHeaderForIt) {
  RecordedEvent event = sample();
  event.metadata.traceparent = "00-trace-01";
  const Record record = encode(event);
  EXPECT_EQ(header(record, "traceparent"), "00-trace-01");
  EXPECT_EQ(header(record, "tracestate"), "(none)");
  expect_same(*round_trip(record), event);
}

TEST(Envelope, EveryEventComesBack) {
  EXPECT_TRUE(rc::check("round trip", [] {
    RecordedEvent event = sample();
    event.stream = core::StreamId("s" + *rc::gen::string<std::string>());
    event.data = *rc::gen::string<std::string>();
    event.metadata.correlation_id = *rc::gen::string<std::string>();
    event.metadata.causation_id = *rc::gen::string<std::string>();
    event.metadata.traceparent =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string(" a-=,")));
    event.position = core::LogPosition(
        *rc::gen::inRange<std::uint64_t>(1, std::numeric_limits<std::int64_t>::max()));
    const auto decoded = round_trip(encode(event));
    RC_ASSERT(decoded.ok());
    expect_same(*decoded, event);
  }));
}

TEST(Envelope, APrivateEventIsAStubWithoutData) {
  RecordedEvent event = sample();
  event.visibility = Visibility::Private;
  event.data = R"({"hash":"never to be seen"})";
  const Record record = encode(event);
  EXPECT_EQ(record.value, "");
  const auto decoded = round_trip(record);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->visibility, Visibility::Private);
  EXPECT_EQ(decoded->position, event.position);
}

void expect_refused(const Record& record, const std::string& because_of) {
  const auto decoded = round_trip(record);
  ASSERT_FALSE(decoded.ok()) << because_of;
  EXPECT_NE(decoded.error().message.find(because_of), std::string::npos) << decoded.error().message;
  EXPECT_FALSE(decoded.error().retryable);
}

TEST(Envelope, SaysWhatIsMissingOrUnreadable) {
  for (const char* name : {"ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time"}) {
    Record record = encode(sample());
    std::erase_if(record.headers, [&](const Header& one) { return one.name == name; });
    expect_refused(record, name);
  }
  for (const char* field : {"position", "stream_version", "schema_version"}) {
    Record record = encode(sample());
    leave_out(record, field);
    expect_refused(record, field);
  }
  for (const std::string field : {"position", "stream_version"}) {
    for (const char* bad : {"", "0", "-1", "1x", "9223372036854775808", "=1"}) {
      Record record = encode(sample());
      own(record) += " " + field + "=" + bad;
      expect_refused(record, field);
    }
  }
  for (const char* bad :
       {"private=yes", "correlation_id=%", "causation_id=a%2", "causation_id=%zz"}) {
    Record record = encode(sample());
    own(record) += std::string(" ") + bad;
    expect_refused(record, std::string(bad).substr(0, std::string(bad).find('=')));
  }
}

TEST(Envelope, UnknownFieldsArePassedOver) {
  Record record = encode(sample());
  own(record).insert(0, " other=1 nothing  =x ");
  const auto decoded = round_trip(record);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  expect_same(*decoded, sample());
}

TEST(Envelope, UnknownHeadersArePassedOver) {
  Record record = encode(sample());
  record.headers.insert(record.headers.begin(), {"x-other", "value"});
  EXPECT_TRUE(round_trip(record).ok());
}

TEST(Envelope, NothingOfAnEarlierEventStaysInStorageThatIsUsedAgain) {
  RecordedEvent bare;
  bare.id = "1";
  bare.source = "a";
  bare.type = "b";
  bare.stream = core::StreamId("c");
  bare.version = core::StreamVersion(1);
  bare.log = core::LogIndex(0);
  bare.position = core::LogPosition(1);
  bare.visibility = Visibility::Private;
  for (const bool bare_first : {true, false}) {
    const RecordedEvent first = bare_first ? bare : sample();
    const RecordedEvent second = bare_first ? sample() : bare;
    const Record first_record = encode(first);
    const Record second_record = encode(second);
    RecordedEvent event;
    ASSERT_TRUE(decode_into(event, View(first_record).view, first.log).ok());
    expect_same(event, first);
    ASSERT_TRUE(decode_into(event, View(second_record).view, second.log).ok());
    expect_same(event, second);
  }
}

}  // namespace
}  // namespace tideline::kafka
