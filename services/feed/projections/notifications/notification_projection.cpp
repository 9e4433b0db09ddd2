#include "feed/projections/notifications/notification_projection.hpp"

#include <algorithm>
#include <variant>

#include "feed/projections/events_read.hpp"
#include "sql/columns.hpp"

namespace tideline::feed {
namespace {

constexpr const char* kInsertNotifications = R"(
INSERT INTO notification (owner, kind, moment, actor, comment, at, direct)
SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::uuid[], $5::bigint[],
                     $6::timestamptz[], $7::boolean[])
ON CONFLICT DO NOTHING)";

constexpr const char* kDeleteBetween = R"(
DELETE FROM notification AS told
USING unnest($1::uuid[], $2::uuid[]) AS two (owner, actor), unnest($3::smallint[]) AS wanted (kind)
WHERE told.owner = two.owner AND told.kind = wanted.kind AND told.moment = 0
  AND told.actor = two.actor AND told.comment = 0)";

constexpr const char* kRaiseSeen = R"(
INSERT INTO notification_setting AS known (owner, seen_up_to)
SELECT * FROM unnest($1::uuid[], $2::timestamptz[])
ON CONFLICT (owner) DO UPDATE SET seen_up_to = excluded.seen_up_to)";

constexpr const char* kSetMutes = R"(
INSERT INTO notification_setting (owner, kinds, persons, moments)
SELECT owner, kinds::smallint[], persons::uuid[], moments::bigint[]
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS muted (owner, kinds, persons, moments)
ON CONFLICT (owner) DO UPDATE
SET kinds = excluded.kinds, persons = excluded.persons, moments = excluded.moments)";

// Of one owner many logs may have something. This is the last statement of a transaction and goes
// by owner, so that no two wait for each other.
constexpr const char* kCountChanges = R"(
INSERT INTO notification_change AS known (owner, changes)
SELECT * FROM unnest($1::uuid[], $2::bigint[])
ON CONFLICT (owner) DO UPDATE SET changes = known.changes + excluded.changes)";

}  // namespace

void NotificationProjection::flushed() {
  rows_.clear();
  between_.clear();
  seen_.clear();
  muted_.clear();
  decided_reports_.clear();
  changes_.clear();
}

void NotificationProjection::apply(const eventsourcing::RecordedEvent& event) {
  apply_interaction(event);
  apply_decision(event);
  apply_contact(event);
  apply_setting(event);
}

// Nobody is told of what he has done himself.
void NotificationProjection::add(const Key& key, const Row& row) {
  if (key.owner == key.actor) return;
  rows_.emplace(key, row);
  ++changes_[key.owner];
}

void NotificationProjection::apply_interaction(const eventsourcing::RecordedEvent& event) {
  using Known =
      std::variant<read::MomentLiked, read::MomentPublished, read::CommentAdded, read::Followed>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* liked = std::get_if<read::MomentLiked>(&*known)) {
    if (!liked->moment_author) return;
    add({*liked->moment_author, NotificationKind::Like, liked->moment, liked->account, {}},
        {liked->liked_at, false});
  } else if (const auto* published = std::get_if<read::MomentPublished>(&*known)) {
    if (published->repost_author) {
      add({*published->repost_author,
           NotificationKind::Repost,
           published->id,
           published->author,
           {}},
          {published->published_at, true});
    }
    for (const core::AccountId& mentioned : published->mentions) {
      if (mentioned == published->repost_author) continue;
      add({mentioned, NotificationKind::Mention, published->id, published->author, {}},
          {published->published_at, true});
    }
  } else if (const auto* added = std::get_if<read::CommentAdded>(&*known)) {
    // To one person once. What a moment's author answers is met by who is no contact, too.
    const bool is_direct = added->author == added->moment_author;
    for (const core::AccountId& mentioned : added->mentions) {
      if (mentioned == added->parent_author || mentioned == added->moment_author) continue;
      add({mentioned, NotificationKind::Mention, added->moment, added->author, added->id},
          {added->written_at, is_direct});
    }
    if (added->parent_author) {
      add({*added->parent_author, NotificationKind::Reply, added->moment, added->author, added->id},
          {added->written_at, is_direct});
    }
    if (added->parent_author != added->moment_author) {
      add({added->moment_author, NotificationKind::Comment, added->moment, added->author,
           added->id},
          {added->written_at, false});
    }
  } else if (const auto* followed = std::get_if<read::Followed>(&*known)) {
    add({followed->followee, NotificationKind::Follow, {}, followed->follower, {}},
        {event.time, true});
  }
}

// Whose text is removed or hidden learns it without a name: the row has no actor.
void NotificationProjection::apply_decision(const eventsourcing::RecordedEvent& event) {
  decided_reports_.apply(event);
  const auto ruled = eventsourcing::read_as<read::CaseRuled>(event);
  if (ruled && ruled->ruling == CaseRuling::Hidden) {
    add({ruled->author,
         NotificationKind::Hidden,
         ruled->moment,
         {},
         ruled->comment.value_or(core::CommentId())},
        {ruled->ruled_at, true});
  }
  const auto decided = eventsourcing::read_as<read::CaseDecided>(event);
  if (!decided || decided->decision != CaseDecision::Removed) return;
  add({decided->author,
       NotificationKind::Removed,
       decided->moment,
       {},
       decided->comment.value_or(core::CommentId())},
      {decided->decided_at, true});
}

void NotificationProjection::set_between(const core::AccountId& from, const core::AccountId& to,
                                         std::optional<NotificationKind> kind, core::Timestamp at) {
  between_.insert_or_assign(std::minmax(from, to), BetweenTwo{from, to, kind, at});
  ++changes_[from];
  ++changes_[to];
}

void NotificationProjection::apply_contact(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<read::ContactRequested, read::ContactAccepted, read::ContactDeclined,
                             read::ContactRequestWithdrawn, read::ContactRemoved>;
  const auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* asked = std::get_if<read::ContactRequested>(&*known)) {
    set_between(asked->from, asked->to, NotificationKind::ContactRequest, event.time);
  } else if (const auto* accepted = std::get_if<read::ContactAccepted>(&*known)) {
    set_between(accepted->to, accepted->from, NotificationKind::Contact, event.time);
  } else if (const auto* declined = std::get_if<read::ContactDeclined>(&*known)) {
    set_between(declined->from, declined->to, std::nullopt, event.time);
  } else if (const auto* withdrawn = std::get_if<read::ContactRequestWithdrawn>(&*known)) {
    set_between(withdrawn->from, withdrawn->to, std::nullopt, event.time);
  } else if (const auto* removed = std::get_if<read::ContactRemoved>(&*known)) {
    set_between(removed->by, removed->other, std::nullopt, event.time);
  }
}

void NotificationProjection::apply_setting(const eventsourcing::RecordedEvent& event) {
  using Known = std::variant<NotificationsSeen, NotificationsMuted>;
  auto known = eventsourcing::read_any<Known>(event);
  if (!known) return;
  if (const auto* seen = std::get_if<NotificationsSeen>(&*known)) {
    seen_[seen->reader] = seen->up_to;
    ++changes_[seen->reader];
  } else if (auto* muted = std::get_if<NotificationsMuted>(&*known)) {
    const core::AccountId owner = muted->owner;
    ++changes_[owner];
    muted_[owner] = std::move(*muted);
  }
}

void NotificationProjection::flush_between(sql::Transaction& transaction) const {
  if (between_.empty()) return;
  std::vector<core::AccountId> owners, actors;
  for (const auto& [pair, state] : between_) {
    owners.insert(owners.end(), {pair.first, pair.second});
    actors.insert(actors.end(), {pair.second, pair.first});
  }
  const std::vector<int> kinds{static_cast<int>(NotificationKind::ContactRequest),
                               static_cast<int>(NotificationKind::Contact)};
  transaction.execute(kDeleteBetween, {owners, actors, kinds});
}

void NotificationProjection::flush(sql::Transaction& transaction) {
  flush_between(transaction);
  std::map<Key, Row> rows = rows_;
  for (const auto& [pair, state] : between_) {
    if (state.kind)
      rows.emplace(Key{state.to, *state.kind, {}, state.from, {}}, Row{state.at, true});
  }
  sql::write_batch(
      transaction, kInsertNotifications, rows, &Key::owner,
      [](const Key& key) { return static_cast<int>(key.kind); }, &Key::moment, &Key::actor,
      &Key::comment, &Row::at, &Row::direct);
  sql::write_batch(transaction, kRaiseSeen, seen_, sql::kKey, sql::kValue);
  sql::write_batch(
      transaction, kSetMutes, muted_, sql::kKey,
      [](const NotificationsMuted& muted) {
        std::vector<int> kinds;
        for (const NotificationKind kind : muted.kinds) kinds.push_back(static_cast<int>(kind));
        return sql::kArrayText(kinds);
      },
      [](const NotificationsMuted& muted) { return sql::kArrayText(muted.persons); },
      [](const NotificationsMuted& muted) { return sql::kArrayText(muted.moments); });
  auto changes = changes_;
  for (const core::AccountId& reporter : decided_reports_.flush(transaction)) ++changes[reporter];
  sql::write_batch(transaction, kCountChanges, changes, sql::kKey, sql::kValue);
}

}  // namespace tideline::feed
