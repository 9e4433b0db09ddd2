#include "feed/domain/moment.hpp"

#include <optional>
#include <utility>

#include "core/text.hpp"
#include "feed/domain/mentions.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

bool takes_lists(Audience audience) {
  return audience == Audience::PartlyVisible || audience == Audience::PartlyInvisible;
}

std::optional<Rejection> refuse_content(const std::string& content, bool shows_more) {
  const auto length = core::code_points(content);
  const bool says_something = length && (*length > 0 || shows_more);
  if (says_something && *length <= Moment::kContentCodePointsMax) return std::nullopt;
  return Rejection{RejectionKind::Invalid, "content-length",
                   "content has 1 to 2000 characters, or none beside images or a repost"};
}

std::optional<Rejection> refuse_audience(Audience audience, const AudienceLists& lists) {
  if (!takes_lists(audience) && lists != AudienceLists{}) {
    return Rejection{RejectionKind::Invalid, "audience-takes-no-lists",
                     "only partly-visible and partly-invisible take groups, tags and users"};
  }
  if (lists.group_ids.size() > Moment::kListedGroupsMax ||
      lists.tag_ids.size() > Moment::kListedTagsMax ||
      lists.user_ids.size() > Moment::kListedUsersMax) {
    return Rejection{RejectionKind::Invalid, "audience-too-long",
                     "an audience names at most 100 groups, 100 tags and 5000 users"};
  }
  return std::nullopt;
}

Decision<Moment::Event> publish(const Moment::State& state, const PublishMoment& command) {
  if (state.published) {
    return Rejection{RejectionKind::Conflict, "moment-id-taken", "this moment exists already"};
  }
  const bool shows_more = !command.images.empty() || command.repost;
  if (auto rejection = refuse_content(command.content, shows_more)) return *rejection;
  if (command.images.size() > Moment::kImagesMax) {
    return Rejection{RejectionKind::Invalid, "too-many-images", "a moment has at most 9 images"};
  }
  if (auto rejection = refuse_audience(command.audience, command.lists)) return *rejection;
  if (auto rejection = refuse_mentions(command.mentions)) return *rejection;
  MomentPublished published{command.id,      command.author, command.audience, command.lists,
                            command.content, command.images, command.now,      command.mentions};
  if (command.repost) {
    published.repost_of = command.repost->moment;
    published.repost_author = command.repost->author;
  }
  if (!command.poll) return Decision<Moment::Event>::of(std::move(published));
  if (auto rejection = refuse_poll(*command.poll, command.now)) return *rejection;
  published.has_poll = true;
  PollOpened opened{command.id,
                    command.author,
                    joined_options(command.poll->options),
                    static_cast<std::uint32_t>(command.poll->options.size()),
                    command.poll->is_multiple,
                    command.poll->closes_at};
  return std::vector<Moment::Event>{std::move(published), std::move(opened)};
}

Decision<Moment::Event> edit(const Moment::State& state, const EditMoment& command) {
  if (!state.stands()) return kNoSuchMoment;
  if (state.author != command.by) {
    return Rejection{RejectionKind::Forbidden, "not-the-author", "only its author edits a moment"};
  }
  const bool shows_more = state.has_images || state.repost;
  if (auto rejection = refuse_content(command.content, shows_more)) return *rejection;
  if (state.content == command.content) return Decision<Moment::Event>::nothing();
  if (command.now - state.published_at > Moment::kEditableFor) {
    return Rejection{RejectionKind::Conflict, "too-late-to-edit",
                     "a moment is edited within an hour of its publication"};
  }
  if (state.edits == Moment::kEditsMax) {
    return Rejection{RejectionKind::Conflict, "too-many-edits", "a moment is edited 19 times"};
  }
  return Decision<Moment::Event>::of(
      MomentEdited{state.id, state.author, state.edits + 1, command.content, command.now});
}

Decision<Moment::Event> change(const Moment::State& state, const ChangeAudience& command) {
  if (!state.stands()) return kNoSuchMoment;
  if (state.author != command.by) {
    return Rejection{RejectionKind::Forbidden, "not-the-author",
                     "only its author changes a moment's audience"};
  }
  if (auto rejection = refuse_audience(command.audience, command.lists)) return *rejection;
  if (state.audience == command.audience && state.lists == command.lists) {
    return Decision<Moment::Event>::nothing();
  }
  if (state.audience_changes == Moment::kAudienceChangesMax) {
    return Rejection{RejectionKind::Conflict, "too-many-audience-changes",
                     "a moment's audience is changed 20 times"};
  }
  return Decision<Moment::Event>::of(
      MomentAudienceChanged{state.id, state.author, state.audience_changes + 1, command.audience,
                            command.lists, command.now});
}

Decision<Moment::Event> remove(const Moment::State& state, const DeleteMoment& command) {
  if (!state.published) return kNoSuchMoment;
  if (state.author != command.by) {
    return Rejection{RejectionKind::Forbidden, "not-the-author",
                     "only its author deletes a moment"};
  }
  if (state.deleted) return Decision<Moment::Event>::nothing();
  return Decision<Moment::Event>::of(MomentDeleted{state.id, state.author});
}

Decision<Moment::Event> hide(const Moment::State& state, const HideMoment& command) {
  if (!state.stands()) return kNoSuchMoment;
  if (state.hidden) return Decision<Moment::Event>::nothing();
  if (state.hidings == Moment::kHidingsMax) {
    return Rejection{RejectionKind::Conflict, "hidden-too-often",
                     "what has been hidden 20 times is removed, or left"};
  }
  return Decision<Moment::Event>::of(MomentHidden{state.id, state.author, command.now});
}

// What its author has deleted meanwhile is not brought back.
Decision<Moment::Event> restore(const Moment::State& state, const RestoreMoment& command) {
  if (!state.stands() || !state.hidden) return Decision<Moment::Event>::nothing();
  return Decision<Moment::Event>::of(MomentRestored{state.id, state.author, command.now});
}

}  // namespace

Moment::State Moment::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const MomentPublished& published) {
                   state.published = true;
                   state.id = published.id;
                   state.author = published.author;
                   state.content = published.content;
                   state.has_images = !published.images.empty();
                   if (published.repost_of && published.repost_author) {
                     state.repost = {*published.repost_of, *published.repost_author};
                   }
                   state.audience = published.audience;
                   state.lists = published.lists;
                   state.published_at = published.published_at;
                 },
                 [&](const PollOpened& opened) { state.poll = opened; },
                 [&](const MomentEdited& edited) {
                   state.content = edited.content;
                   state.edits = edited.edit;
                 },
                 [&](const MomentAudienceChanged& changed) {
                   state.audience = changed.audience;
                   state.lists = changed.lists;
                   state.audience_changes = changed.change;
                 },
                 [&](const MomentHidden&) {
                   state.hidden = true;
                   ++state.hidings;
                 },
                 [&](const MomentRestored&) { state.hidden = false; },
                 [&](const MomentDeleted&) { state.deleted = true; },
             },
             event);
  return state;
}

eventsourcing::Decision<Moment::Event> Moment::decide(const State& state, const Command& command) {
  return std::visit(
      Overloaded{
          [&](const PublishMoment& publish_it) { return publish(state, publish_it); },
          [&](const EditMoment& edit_it) { return edit(state, edit_it); },
          [&](const ChangeAudience& change_it) { return change(state, change_it); },
          [&](const DeleteMoment& delete_it) { return remove(state, delete_it); },
          [&](const RemoveMoment&) { return remove(state, DeleteMoment{state.author}); },
          [&](const HideMoment& hide_it) { return hide(state, hide_it); },
          [&](const RestoreMoment& restore_it) { return restore(state, restore_it); },
      },
      command);
}

}  // namespace tideline::feed
