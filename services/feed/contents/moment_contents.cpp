#include "feed/contents/moment_contents.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "http/messages/message.hpp"
#include "people/person_json.hpp"

namespace tideline::feed {
namespace {

// By the upper bits of a product: those of an id are its time.
std::chrono::milliseconds age_max_of(core::MomentId id) {
  constexpr auto kSpread = MomentContents::kAgeMax - MomentContents::kAgeMin;
  return MomentContents::kAgeMin +
         ((id.value() * 0x9e3779b97f4a7c15U) >> 32U) * kSpread / (1ULL << 32U);
}

std::size_t bytes_of(const PersonContent& person) {
  return sizeof person + person.person.capacity() + person.user_id.capacity();
}

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += sizeof text + text.capacity();
  return bytes;
}

std::size_t bytes_of(const SealedMoment& sealed) {
  constexpr std::size_t kEditBytes = 96;  // besides its text
  std::size_t bytes = sizeof sealed;
  if (sealed.row) {
    const AudienceLists& lists = sealed.row->lists;
    bytes +=
        sealed.row->sealed_content->capacity() + bytes_of(sealed.row->images) +
        bytes_of(lists.group_ids) + bytes_of(lists.tag_ids) +
        (lists.user_ids.capacity() + sealed.row->mentions.capacity()) * sizeof(core::AccountId);
  }
  for (const auto& [number, edit] : sealed.edits) {
    bytes += kEditBytes + edit.sealed_content.capacity();
  }
  return bytes;
}

}  // namespace

void MomentContents::before_use(const read::Event& event) {
  if (const auto* published = std::get_if<read::MomentPublished>(&event)) {
    put_sealed(published->id,
               {published->author,
                MomentRow{published->id, published->author, published->audience, published->lists,
                          published->sealed_content, published->images, published->published_at,
                          false, 0, published->mentions, published->repost_of, published->has_poll},
                {}});
  } else if (const auto* edited = std::get_if<read::MomentEdited>(&event)) {
    const Sealed before = find_sealed(edited->id);
    SealedMoment sealed = before ? *before : SealedMoment{edited->author, std::nullopt, {}};
    sealed.edits[edited->edit] = {edited->sealed_content, edited->edited_at};
    put_sealed(edited->id, std::move(sealed));
  } else if (const auto* changed = std::get_if<read::MomentAudienceChanged>(&event)) {
    const Sealed before = find_sealed(changed->id);
    if (!before || !before->row || before->row->audience_changes >= changed->change) return;
    SealedMoment sealed = *before;
    sealed.row->audience = changed->audience;
    sealed.row->lists = changed->lists;
    sealed.row->audience_changes = changed->change;
    put_sealed(changed->id, std::move(sealed));
  } else if (const auto* comment = std::get_if<read::CommentAdded>(&event)) {
    auto sealed = std::make_shared<const SealedComment>(SealedComment{
        comment->author, {comment->sealed_text, comment->written_at, comment->mentions}});
    const std::size_t bytes = sizeof *sealed + comment->sealed_text.size() +
                              comment->mentions.size() * sizeof(core::AccountId);
    sealed_comments_.put(comment->id.value(), std::move(sealed), bytes);
  }
}

void MomentContents::after_use(const read::Event& event) {
  if (const auto* deleted = std::get_if<read::MomentDeleted>(&event)) {
    drop(deleted->id);
  } else if (const auto* comment = std::get_if<read::CommentDeleted>(&event)) {
    sealed_comments_.erase(comment->id.value());
  } else if (const auto* closed = std::get_if<read::AccountClosed>(&event)) {
    drop_author(closed->account);
  }
}

std::vector<MomentContents::Moment> MomentContents::find(std::span<const TimelineEntry> entries) {
  std::vector<Moment> found(entries.size());
  find_each(entries, [&](std::size_t i, const Moment& moment) { found[i] = moment; });
  const std::size_t misses = std::ranges::count(found, nullptr);
  note_hits(entries.size() - misses);
  misses_.fetch_add(misses, std::memory_order_relaxed);
  return found;
}

std::map<core::CommentId, CommentRow> MomentContents::find_sealed_comments(
    std::span<const core::CommentId> ids) {
  std::map<core::CommentId, CommentRow> rows;
  for (const core::CommentId id : ids) {
    if (const auto sealed = sealed_comments_.find(id.value())) rows.emplace(id, sealed->row);
  }
  return rows;
}

MomentContents::Moment MomentContents::put(core::MomentId id, const MomentTexts& texts) {
  auto moment = MomentContent::of(texts, clock_.now() + age_max_of(id));
  moments_.put(id.value(), moment, moment->bytes(), moment->bytes_shown());
  return moment;
}

void MomentContents::put_sealed(core::MomentId id, SealedMoment sealed) {
  const std::size_t bytes = bytes_of(sealed);
  sealed_.put(id.value(), std::make_shared<const SealedMoment>(std::move(sealed)), bytes);
}

void MomentContents::drop(core::MomentId id) {
  moments_.erase(id.value());
  sealed_.erase(id.value());
}

void MomentContents::drop_author(const core::AccountId& author) {
  const auto is_his = [&](std::uint64_t, const auto& text) { return text.author == author; };
  moments_.erase_if([&](std::uint64_t, const auto& moment) { return moment.author() == author; });
  sealed_.erase_if(is_his);
  sealed_comments_.erase_if(is_his);
}

MomentContents::Person MomentContents::find_person(const core::AccountId& account) {
  Person found = people_.find(account);
  if (found && !is_named_right(account, found->names_as_of)) return nullptr;
  return found;
}

MomentContents::Person MomentContents::put_person(const people::Person& person,
                                                  std::uint64_t names_as_of) {
  const http::Json json = people::person_json(person);
  auto content = std::make_shared<const PersonContent>(
      PersonContent{http::text_of(json), http::text_of(json["user_id"]), names_as_of});
  people_.put(person.account, content, bytes_of(*content));
  return content;
}

void MomentContents::drop_names(std::span<const core::AccountId> accounts) {
  const std::lock_guard lock(naming_);
  const std::uint64_t change = ++name_changes_;
  for (const core::AccountId& account : accounts) {
    names_changed(account) = change;
    people_.erase(account);
  }
  if (accounts.empty()) std::ranges::fill(names_changed_, change);
}

MomentContents::Counts MomentContents::counts() const {
  const auto moments = moments_.size();
  return {
      hits_, misses_, moments.entries,
      moments.bytes + sealed_.size().bytes + sealed_comments_.size().bytes + people_.size().bytes};
}

}  // namespace tideline::feed
