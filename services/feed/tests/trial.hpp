// One history brought to one engine, and what the engine answers held to the oracle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "delivery.hpp"

namespace tideline::feed::testing {

using Difference = std::optional<std::string>;
using ReadPage = std::function<TimelinePage(const PlaceInTimeline&)>;

inline std::string print(const Oracle::Ids& ids) {
  std::ostringstream text;
  for (const auto id : ids) text << ' ' << id;
  return text.str();
}

inline Oracle::Ids ids_of(const TimelinePage& page) {
  Oracle::Ids ids;
  for (const TimelineEntry& entry : page.entries) ids.push_back(entry.id.value());
  return ids;
}

// Down from the newest to the first, then up again.
inline Difference compare_pages(const std::string& what, const Oracle::Ids& expected,
                                const ReadPage& read) {
  Oracle::Ids down;
  PlaceInTimeline place;
  for (std::size_t i = 0; i <= expected.size() + 1; ++i) {
    const TimelinePage page = read(place);
    const Oracle::Ids ids = ids_of(page);
    if (!ids.empty() && page.has_newer != !down.empty()) return what + ": has_newer is wrong";
    down.insert(down.end(), ids.begin(), ids.end());
    if (!ids.empty() && page.has_older != (down.size() < expected.size())) {
      return what + ": has_older is wrong";
    }
    if (!page.has_older) break;
    place = {.older_than = page.entries.back().id, .newer_than = {}};
  }
  if (down != expected) return what + " reads" + print(down) + ", expected" + print(expected);
  if (expected.empty()) return std::nullopt;

  Oracle::Ids up{expected.back()};
  for (std::size_t i = 0; i <= expected.size(); ++i) {
    const TimelinePage page = read({.older_than = {}, .newer_than = core::MomentId(up.front())});
    const Oracle::Ids ids = ids_of(page);
    if (!ids.empty() && !page.has_older) return what + ": has_older is wrong on the way up";
    up.insert(up.begin(), ids.begin(), ids.end());
    if (!page.has_newer) break;
  }
  if (up != expected) return what + " reads upwards" + print(up) + ", expected" + print(expected);
  return std::nullopt;
}

// What the viewer meets under one moment: nothing (nullptr) when he may not see it.
inline Difference compare_under(core::MomentId id, const core::AccountId& viewer,
                                const Oracle::Met* expected, FeedEngine& engine,
                                std::size_t limit) {
  const auto entry = engine.reader().find_visible(id, viewer);
  const auto author = engine.reader().find_author(id, viewer);
  if (author.has_value() != entry.has_value() || (entry && *author != entry->author)) {
    return "finds another author";
  }
  const auto likers = engine.reader().likers_of(id, viewer);
  const auto all = engine.reader().comments_of(id, viewer, {}, 10'000);
  if (!expected) {
    if (entry) return "finds it";
    return likers || all ? Difference("meets something under it") : std::nullopt;
  }
  if (!entry || !likers || !all) return "finds nothing";
  if (entry->edits != expected->edits) return "reads the text of another edit";

  std::set<std::string> names;
  for (const core::AccountId& liker : *likers) names.insert(liker.to_string());
  if (names != expected->likers) return "meets other likers";
  if (entry->likes != names.size() || likers->size() != names.size()) return "counts other likes";
  if (entry->liked != expected->liked) return "likes it otherwise";
  if (entry->bookmarked != expected->bookmarked) return "has bookmarked it otherwise";
  if (entry->hidden != expected->hidden) return "is told otherwise whether it is hidden";

  std::map<std::uint64_t, std::uint64_t> comments;
  std::set<std::uint64_t> hidden;
  for (const CommentEntry& comment : all->items) {
    if (comment.hidden) hidden.insert(comment.id.value());
    comments[comment.id.value()] = comment.parent.value_or(core::CommentId()).value();
  }
  if (comments != expected->comments) return "meets other comments";
  if (hidden != expected->hidden_comments) return "is told otherwise which comments are hidden";
  if (entry->comments != all->items.size()) return "counts other comments";
  Oracle::Ids ids;
  for (const auto& [comment, parent] : expected->comments) ids.push_back(comment);
  // Oldest first: "older" is further down the list.
  return compare_pages("comments", ids, [&](const PlaceInTimeline& place) {
    PlaceInComments there;
    if (place.older_than) there.after = core::CommentId(place.older_than->value());
    if (place.newer_than) there.before = core::CommentId(place.newer_than->value());
    const auto slice = engine.reader().comments_of(id, viewer, there, limit);
    TimelinePage page{{}, slice->more_before, slice->more_after};
    for (const CommentEntry& comment : slice->items) {
      page.entries.push_back({.id = core::MomentId(comment.id.value()), .author = comment.author});
    }
    return page;
  });
}

// The months that an author's page has for a viewer, and the page of each.
inline Difference compare_months(const core::AccountId& author, const core::AccountId& viewer,
                                 FeedEngine& engine, const Oracle& oracle, std::size_t limit) {
  std::vector<std::string> names;
  for (const std::chrono::year_month& month : engine.reader().months_of(author, viewer)) {
    names.push_back(core::format_day(month / 1).substr(0, 7));
    Oracle::Ids expected = oracle.moments_of(author, viewer);
    std::erase_if(expected, [&](auto id) { return Oracle::month_of(id) != names.back(); });
    auto difference = compare_pages("month " + names.back(), expected, [&](const auto& place) {
      return engine.reader().moments_of(author, viewer, place, limit, month);
    });
    if (difference) return difference;
  }
  if (names != oracle.months_of(author, viewer)) return "has other months";
  return std::nullopt;
}

inline Difference compare_unread(const core::AccountId& viewer, FeedEngine& engine,
                                 const Oracle& oracle, std::size_t limit) {
  const std::size_t expected = oracle.unread(viewer);
  for (const std::size_t max : {limit, std::size_t{10'000}}) {
    const UnreadMoments unread = engine.reader().unread(viewer, max);
    if (unread.count != std::min(expected, max) || unread.more != (expected > max)) {
      return " counts " + std::to_string(unread.count) + " unread, expected " +
             std::to_string(expected);
    }
  }
  return std::nullopt;
}

// Every viewer's timeline, every author's page as each viewer sees it, whole and by months, what is
// unread, and every moment by id with what lies under it.
inline Difference compare(const History& history, FeedEngine& engine, const Oracle& oracle,
                          std::size_t limit) {
  for (std::size_t v = 0; v < history.people().size(); ++v) {
    const core::AccountId& viewer = history.people()[v];
    const std::string who = "viewer " + std::to_string(v);
    auto difference = compare_pages(
        who + "'s timeline", oracle.timeline(viewer),
        [&](const auto& place) { return engine.reader().timeline(viewer, place, limit); });
    if (difference) return difference;
    for (std::size_t a = 0; a < history.people().size(); ++a) {
      const core::AccountId& author = history.people()[a];
      difference = compare_pages(who + " on the page of " + std::to_string(a),
                                 oracle.moments_of(author, viewer), [&](const auto& place) {
                                   return engine.reader().moments_of(author, viewer, place, limit);
                                 });
      if (difference) return difference;
      difference = compare_months(author, viewer, engine, oracle, limit);
      if (difference) return who + " on the page of " + std::to_string(a) + ": " + *difference;
    }
    if (auto wrong = compare_unread(viewer, engine, oracle, limit)) return who + *wrong;
    const auto met = oracle.met_by(viewer);
    for (const core::MomentId id : history.moments()) {
      const auto found = met.find(id.value());
      difference =
          compare_under(id, viewer, found == met.end() ? nullptr : &found->second, engine, limit);
      if (difference) return who + " by id " + core::to_string(id) + " " + *difference;
    }
    for (const auto& [id, comment] : history.comments()) {
      const auto found = met.find(id.value());
      const bool expected = found != met.end() && found->second.comments.contains(comment.value());
      if (engine.reader().shows_comment(id, comment, viewer) != expected) {
        return who + " meets comment " + core::to_string(comment) + " otherwise";
      }
    }
  }
  return std::nullopt;
}

using Numbers = std::vector<std::uint32_t>;

struct Trial {
  Numbers history;
  Numbers interleaving;
  std::uint32_t timeline_length_max = 4;
  std::uint32_t arrays_max = 0;  // that there is room for; 0: for everybody's
  std::uint32_t limit = 3;
  std::uint32_t looks_at_once = 2;
};

inline Trial random_trial(std::mt19937& numbers, std::size_t history, std::size_t interleaving) {
  Trial trial;
  for (auto i = history; i > 0; --i) trial.history.push_back(static_cast<unsigned>(numbers()));
  for (auto i = interleaving; i > 0; --i) {
    trial.interleaving.push_back(static_cast<unsigned>(numbers()));
  }
  trial.timeline_length_max = 1 + static_cast<unsigned>(numbers()) % 30;
  trial.arrays_max = static_cast<unsigned>(numbers()) % 4;
  trial.limit = 1 + static_cast<unsigned>(numbers()) % 5;
  trial.looks_at_once = 1U << static_cast<unsigned>(numbers()) % 10;
  return trial;
}

// An engine with one rule broken, or with none.
struct BrokenEngine {
  std::string rule{};
  VisibilityRules rules{};
  std::optional<Grant> ignored_grant{};
  std::optional<Loss> ignored_loss{};
  Misreading misread{};
  SavedEngine::Loss lost{};
};

inline std::size_t bytes_max_of(const Trial& trial) {
  const std::size_t arrays = trial.arrays_max == 0 ? 1'000 : trial.arrays_max;
  return ViewerTimelines::room_for(trial.timeline_length_max, arrays);
}

inline FeedEngineOptions options_of(const Trial& trial, const BrokenEngine& broken) {
  return {.timeline_length_max = trial.timeline_length_max,
          .timeline_bytes_max = bytes_max_of(trial),
          .looks_at_once = trial.looks_at_once,
          .rules = broken.rules,
          .ignored_grant = broken.ignored_grant,
          .ignored_loss = broken.ignored_loss,
          .on_fan_out = {},
          .restore = {}};
}

// Any half of the shards, or all.
inline ShardSet some_shards(Tape& tape) {
  if (tape.below(3) == 0) return ShardSet().set();
  const std::uint64_t half = tape.below(std::numeric_limits<std::uint32_t>::max());
  return ShardSet(half << 32 | (~half & 0xffff'ffffU));
}

// Compares at the end and at some places on the way, where reads also merge what is pending. The
// shards whose arrays are kept change on the way, and the engine starts from snapshots of itself.
// Adds to `evictions` those of the engine.
inline Difference run(const Trial& trial, const BrokenEngine& broken = {},
                      std::size_t* evictions = nullptr) {
  const History history(trial.history);
  SavedEngine saved(broken.lost);
  FeedEngineOptions options = options_of(trial, broken);
  options.restore = saved.restore();
  FeedEngine engine(std::move(options));
  Delivery delivery(history, engine, Tape(trial.interleaving), broken.misread, &saved);
  Tape pauses(trial.interleaving);
  Tape moves(trial.interleaving);
  Tape looks(trial.interleaving);
  while (delivery.step()) {
    // What a read leaves behind, the next events find: an array that is made, merged, made anew.
    if (looks.below(3) == 1) {
      const auto person = looks.below(static_cast<std::uint32_t>(history.people().size()));
      engine.reader().timeline(history.people()[person], {}, trial.limit);
    }
    if (moves.below(12) == 1) engine.keep(some_shards(moves));
    if (engine.size().array_bytes > bytes_max_of(trial)) return "it holds more than it may";
    if (pauses.below(16) != 1 || !delivery.is_comparable()) continue;
    if (engine.is_rebuilding()) return "it says that it is rebuilding, and has everything";
    if (auto difference = compare(history, engine, delivery.oracle(), trial.limit)) {
      return difference;
    }
  }
  auto difference = compare(history, engine, delivery.oracle(), trial.limit);
  const auto size = engine.size();
  if (size.array_bytes > bytes_max_of(trial)) return "it holds more than it may";
  if (evictions != nullptr) *evictions += size.evictions;
  return difference;
}

}  // namespace tideline::feed::testing
