// Ids that sort by the time at which they were made.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/random.hpp"

namespace tideline::core {

// 128 bits: 48 of milliseconds since 1970, 80 random; as 26 base32 characters that order like the
// times (the alphabet is re-ordered so that letters and digits sort by value). Used for things that
// the server names: projects, tags, groups, sessions.
std::string make_time_ordered_id(Timestamp now, Random& random);
bool is_time_ordered_id(std::string_view text);

// RFC 9562 version 7, the form of event ids.
std::string make_uuid_v7(Timestamp now, Random& random);

// A moment: 42 bits of milliseconds since 1970, 8 bits of the author's partition (the first byte of
// its account id), 14 bits of sequence. Larger means newer; never 0; positive as a signed 64-bit
// number.
using MomentId = Strong<struct MomentIdTag, std::uint64_t>;

MomentId make_moment_id(Timestamp now, const AccountId& author, std::uint32_t sequence);
std::uint8_t author_partition(MomentId id);
Timestamp time_of(MomentId id);
// What ids of that millisecond begin with: they are not below, earlier ones are.
MomentId first_moment_id(Timestamp time);
// The text of a moment id is its decimal number without leading zeros.
std::string to_string(MomentId id);
std::optional<MomentId> parse_moment_id(std::string_view text);

// A comment on a moment. Made like the id of a moment, of whose author it has the partition: so it
// sorts by time and lies with the moment, and says nothing of how many others there are.
using CommentId = Strong<struct CommentIdTag, std::uint64_t>;

std::string to_string(CommentId id);
std::optional<CommentId> parse_comment_id(std::string_view text);

// Draws sequences so that two moments of one millisecond in one process differ. Thread-safe. Two
// processes can still draw the same id: the stream moment-<id> must then be new, so that one of
// them sees a conflict and draws again.
class MomentIdSource {
 public:
  explicit MomentIdSource(Random& random) : random_(random) {}
  MomentId next(Timestamp now, const AccountId& author);
  // The same law for the stream comment-<moment id>-<comment id>.
  CommentId next_comment(Timestamp now, const AccountId& moment_author);

 private:
  Random& random_;
  std::mutex mutex_;
  std::int64_t last_millisecond_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace tideline::core
