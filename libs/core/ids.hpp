// The numbers and names that everything in Tideline is told apart by.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/strong.hpp"

namespace tideline::core {

// Name of a stream of events, for example "account-<id>". Built by the service that owns it
// (stream_key.hpp).
using StreamId = Strong<struct StreamIdTag, std::string>;
// Number of an event within its stream; 1 for the first, 0 for "no such stream yet".
using StreamVersion = Strong<struct StreamVersionTag, std::uint64_t>;
// One of a service's P logs; the same number as the Kafka partition that it is published to.
using LogIndex = Strong<struct LogIndexTag, std::uint32_t>;
// Number of an event within its log, gapless; 1 for the first, 0 for "nothing yet".
using LogPosition = Strong<struct LogPositionTag, std::uint64_t>;
// Where a record lies in a Kafka partition. A hint for seeking only: positions are the truth.
using KafkaOffset = Strong<struct KafkaOffsetTag, std::int64_t>;
// Version of the shape of an event's data.
using SchemaVersion = Strong<struct SchemaVersionTag, std::uint32_t>;

// A person inside Tideline: a 128-bit keyed hash of the user_id (see crypto/account_ids.hpp).
// Text form: 26 characters of lower-case base32 (RFC 4648 alphabet, no padding).
class AccountId {
 public:
  using Bytes = std::array<std::uint8_t, 16>;

  constexpr AccountId() = default;
  constexpr explicit AccountId(const Bytes& bytes) : bytes_(bytes) {}

  // nullopt unless `text` is exactly the 26 characters that to_string() would give.
  static std::optional<AccountId> parse(std::string_view text);
  // From the form that PostgreSQL prints for type uuid.
  static std::optional<AccountId> parse_uuid(std::string_view text);

  std::string to_string() const;
  std::string to_uuid() const;
  constexpr const Bytes& bytes() const { return bytes_; }

  // As the bytes compare, but two words at once: the defaulted ones call memcmp each time.
  friend constexpr std::strong_ordering operator<=>(const AccountId& one, const AccountId& other) {
    const Words left = one.words();
    const Words right = other.words();
    if (left.first != right.first) return left.first <=> right.first;
    return left.second <=> right.second;
  }
  friend constexpr bool operator==(const AccountId& one, const AccountId& other) {
    const Words left = one.words();
    const Words right = other.words();
    return left.first == right.first && left.second == right.second;
  }

 private:
  friend struct std::hash<AccountId>;
  struct Words {
    std::uint64_t first;
    std::uint64_t second;
  };
  static constexpr std::uint64_t in_order(std::uint64_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
  }
  constexpr Words words() const {
    const auto native = std::bit_cast<Words>(bytes_);
    return {in_order(native.first), in_order(native.second)};
  }

  Bytes bytes_{};
};

// The log of a stream among `logs`: FNV-1a (64 bits) of the stream id, finished with the mixer of
// splitmix64, modulo `logs`. Part of the data format: it must never change for a running system.
LogIndex log_of(std::string_view stream_id, std::uint32_t logs);

}  // namespace tideline::core

template <>
struct std::hash<tideline::core::AccountId> {
  std::size_t operator()(const tideline::core::AccountId& id) const noexcept {
    // The id is a keyed hash already: any eight of its bytes are as good as another hash.
    return id.words().first;
  }
};
