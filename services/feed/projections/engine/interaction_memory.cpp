#include "feed/projections/engine/interaction_memory.hpp"

#include <algorithm>
#include <bit>

#include "feed/domain/moment.hpp"

namespace tideline::feed {
namespace {

static_assert(Moment::kEditsMax <= 32, "as many as there are bits");

constexpr std::uint32_t bit_of(std::uint32_t edit) { return 1U << (edit - 1); }

template <class Comments>
auto place_of(Comments& comments, core::CommentId id) {
  return std::lower_bound(
      comments.begin(), comments.end(), id,
      [](const CommentFacts& comment, core::CommentId other) { return comment.id < other; });
}

}  // namespace

std::uint32_t MomentInteractions::edits_shown_to(bool author) const {
  if (author || held_edits == 0) return edits;
  return static_cast<std::uint32_t>(std::countr_zero(held_edits));
}

const CommentFacts* MomentInteractions::find(core::CommentId id) const {
  const auto place = place_of(comments, id);
  return place != comments.end() && place->id == id ? &*place : nullptr;
}

void InteractionMemory::set_liked(core::MomentId moment, PersonIndex person, bool is) {
  set(by_moment_[moment.value()].likers, person, is);
}

void InteractionMemory::set_bookmarked(core::MomentId moment, PersonIndex person, bool is) {
  set(by_moment_[moment.value()].bookmarkers, person, is);
}

void InteractionMemory::add_comment(core::MomentId moment, const CommentFacts& comment) {
  auto& comments = by_moment_[moment.value()].comments;
  const auto place = place_of(comments, comment.id);
  if (place != comments.end() && place->id == comment.id) return;
  comments.insert(place, comment);
}

void InteractionMemory::remove_comment(core::MomentId moment, core::CommentId id) {
  auto& comments = by_moment_[moment.value()].comments;
  const auto place = place_of(comments, id);
  if (place != comments.end() && place->id == id) comments.erase(place);
}

void InteractionMemory::add_edit(core::MomentId moment, std::uint32_t edit, bool held) {
  auto& interactions = by_moment_[moment.value()];
  interactions.edits = std::max(interactions.edits, edit);
  if (held) interactions.held_edits |= bit_of(edit);
}

void InteractionMemory::release_comment(core::MomentId moment, core::CommentId id) {
  auto& comments = by_moment_[moment.value()].comments;
  const auto place = place_of(comments, id);
  if (place != comments.end() && place->id == id) place->held = false;
}

void InteractionMemory::set_comment_hidden(core::MomentId moment, core::CommentId id, bool is) {
  auto& comments = by_moment_[moment.value()].comments;
  const auto place = place_of(comments, id);
  if (place != comments.end() && place->id == id) place->hidden = is;
}

void InteractionMemory::release_edit(core::MomentId moment, std::uint32_t edit) {
  by_moment_[moment.value()].held_edits &= ~bit_of(edit);
}

const MomentInteractions& InteractionMemory::of(core::MomentId moment) const {
  static const MomentInteractions kNone;
  const auto found = by_moment_.find(moment.value());
  return found == by_moment_.end() ? kNone : found->second;
}

}  // namespace tideline::feed
