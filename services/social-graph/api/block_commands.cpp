#include "social-graph/api/block_commands.hpp"

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/api/contact_commands.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/rejections.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::Changed;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;

Changed<Block> change_block(CommandSession& session, const AccountId& me, const AccountId& other,
                            const Block::Command& command, const BlockCount::Command& counting) {
  auto changed = change<Block>(session, keys::block(me, other), EventCodec<Block>{}, command);
  if (!changed.events.empty()) {
    change_last<BlockCount>(session, keys::block_count(me), EventCodec<BlockCount>{}, counting);
  }
  return changed;
}

bool blocks(CommandSession& session, const AccountId& by, const AccountId& other) {
  const auto loaded = session.load<Block>(keys::block(by, other), EventCodec<Block>{});
  session.assert_unchanged(loaded);
  return loaded.state.blocks;
}

}  // namespace

Changed<Block> block(CommandSession& session, const AccountId& me, const AccountId& other) {
  auto changed = change_block(session, me, other, BlockPerson{me, other},
                              BlockCount::Add{me, kBlocksMax, kBlockLimit});
  if (changed.events.empty()) return changed;
  end_pair(session, me, other);
  change<Follow>(session, keys::follow(me, other), EventCodec<Follow>{}, UnfollowPerson{me, other});
  change<Follow>(session, keys::follow(other, me), EventCodec<Follow>{}, UnfollowPerson{other, me});
  return changed;
}

Changed<Block> unblock(CommandSession& session, const AccountId& me, const AccountId& other) {
  return change_block(session, me, other, UnblockPerson{me, other}, BlockCount::Remove{me});
}

void refuse_blocked(CommandSession& session, const AccountId& me, const AccountId& other) {
  const bool by_other = blocks(session, other, me);
  const bool by_me = blocks(session, me, other);
  if (by_me) throw eventsourcing::Rejected(kYouBlock);
  if (by_other) throw eventsourcing::Rejected(kNobody);
}

}  // namespace tideline::social_graph
