#include "core/time_ordered_id.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "core/encoding.hpp"

namespace tideline::core {
namespace {

constexpr unsigned kPartitionBits = 8;
constexpr unsigned kSequenceBits = 14;
constexpr std::uint32_t kSequenceMask = (1U << kSequenceBits) - 1;
// Base32 with digits first: the order of the texts is the order of the values.
constexpr std::string_view kOrderedBase32 = "0123456789abcdefghijklmnopqrstuv";

std::int64_t milliseconds_of(Timestamp time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

std::array<std::uint8_t, 16> time_then_random(Timestamp now, Random& random) {
  std::array<std::uint8_t, 16> bytes{};
  const auto time = static_cast<std::uint64_t>(milliseconds_of(now));
  for (unsigned i = 0; i < 6; ++i) bytes[i] = static_cast<std::uint8_t>(time >> (8 * (5 - i)));
  random.fill(std::span(bytes).subspan(6));
  return bytes;
}

}  // namespace

std::string make_time_ordered_id(Timestamp now, Random& random) {
  const auto bytes = time_then_random(now, random);
  std::string text;
  text.reserve(26);
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : bytes) {
    window = (window << 8) | byte;
    held += 8;
    while (held >= 5) {
      held -= 5;
      text.push_back(kOrderedBase32[(window >> held) & 31]);
    }
  }
  text.push_back(kOrderedBase32[(window << (5 - held)) & 31]);
  return text;
}

bool is_time_ordered_id(std::string_view text) {
  return text.size() == 26 && text.find_first_not_of(kOrderedBase32) == std::string_view::npos &&
         (kOrderedBase32.find(text.back()) & 3) == 0;
}

std::string make_uuid_v7(Timestamp now, Random& random) {
  auto bytes = time_then_random(now, random);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  return AccountId(bytes).to_uuid();
}

MomentId make_moment_id(Timestamp now, const AccountId& author, std::uint32_t sequence) {
  const auto time = static_cast<std::uint64_t>(milliseconds_of(now)) & ((1ULL << 42) - 1);
  // The top bit stays free until the year 2039, so the number is positive in SQL's bigint too.
  return MomentId((time << (kPartitionBits + kSequenceBits)) |
                  (static_cast<std::uint64_t>(author.bytes()[0]) << kSequenceBits) |
                  (sequence & kSequenceMask));
}

std::uint8_t author_partition(MomentId id) {
  return static_cast<std::uint8_t>(id.value() >> kSequenceBits);
}

Timestamp time_of(MomentId id) {
  return Timestamp(std::chrono::milliseconds(id.value() >> (kPartitionBits + kSequenceBits)));
}

MomentId first_moment_id(Timestamp time) {
  return make_moment_id(time, AccountId(AccountId::Bytes{}), 0);
}

std::string to_string(MomentId id) { return std::to_string(id.value()); }

std::optional<MomentId> parse_moment_id(std::string_view text) {
  if (text.empty() || text[0] == '0') return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || value > 0x7FFFFFFFFFFFFFFFULL) return std::nullopt;
  return MomentId(value);
}

std::string to_string(CommentId id) { return std::to_string(id.value()); }

std::optional<CommentId> parse_comment_id(std::string_view text) {
  const auto id = parse_moment_id(text);
  if (!id) return std::nullopt;
  return CommentId(id->value());
}

CommentId MomentIdSource::next_comment(Timestamp now, const AccountId& moment_author) {
  return CommentId(next(now, moment_author).value());
}

MomentId MomentIdSource::next(Timestamp now, const AccountId& author) {
  const std::lock_guard lock(mutex_);
  const std::int64_t millisecond = milliseconds_of(now);
  if (millisecond != last_millisecond_) {
    // A random start keeps two processes from drawing the same run of sequences.
    last_millisecond_ = millisecond;
    sequence_ = static_cast<std::uint32_t>(random_.next_u64());
  }
  return make_moment_id(now, author, sequence_++);
}

}  // namespace tideline::core
