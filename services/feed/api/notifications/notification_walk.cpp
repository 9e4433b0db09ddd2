#include "feed/api/notifications/notification_walk.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

namespace tideline::feed {
namespace {

// No doing is of such a time.
core::Timestamp end_of_time() { return core::parse_iso8601("9999-12-31T00:00:00.000000Z").value(); }

core::Timestamp start_of(core::Day day) {
  return core::parse_iso8601(core::format_day(day) + "T00:00:00.000000Z").value();
}
core::Timestamp start_of_day_after(core::Timestamp at) {
  return start_of(core::utc_day(at)) + std::chrono::days(1);
}

// Of places, none of whose texts is longer.
constexpr std::size_t kPlaceLengthMax = 64;

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('_')) text.remove_prefix(1);
  return number;
}

// The rows that are told of this batch, and where the next one begins; nullopt: nowhere.
struct WholeDays {
  std::span<const NotificationRow> rows;
  std::optional<core::Timestamp> until;
};
WholeDays whole_days(const NotificationRows& found) {
  if (!found.floor) return {found.rows, std::nullopt};
  const core::Timestamp cut_day_ends = start_of_day_after(*found.floor);
  const auto first_of_cut_day = std::ranges::find_if(
      found.rows, [&](const NotificationRow& row) { return row.at < cut_day_ends; });
  if (first_of_cut_day != found.rows.begin()) {
    return {{found.rows.begin(), first_of_cut_day}, cut_day_ends};
  }
  const core::Timestamp cut_day = start_of(core::utc_day(*found.floor));
  const auto end = std::ranges::find_if(
      found.rows, [&](const NotificationRow& row) { return row.at < cut_day; });
  return {{found.rows.begin(), end}, cut_day};
}

// From doings, newest first.
std::vector<Notification> grouped(const std::vector<const NotificationRow*>& rows) {
  std::map<std::tuple<core::Day, NotificationKind, core::MomentId>, std::size_t> places;
  std::vector<Notification> notifications;
  for (const NotificationRow* row : rows) {
    const Doing& doing = row->doing;
    const auto [place, is_new] = places.emplace(
        std::tuple(core::utc_day(row->at), doing.kind, doing.moment), notifications.size());
    if (is_new) {
      notifications.push_back({doing.kind, doing.moment, doing.comment, row->at, {}});
    }
    auto& people = notifications[place->second].people;
    if (doing.actor == core::AccountId()) continue;  // moderators are not named
    if (std::ranges::find(people, doing.actor) == people.end()) people.push_back(doing.actor);
  }
  return notifications;
}

}  // namespace

std::string to_string(const PlaceInNotifications& place) {
  const int kind = place.kind ? static_cast<int>(*place.kind) + 1 : 0;
  return std::to_string(place.at.time_since_epoch().count()) + "_" + std::to_string(kind) + "_" +
         core::to_string(place.moment);
}

std::optional<PlaceInNotifications> parse_place_in_notifications(std::string_view text) {
  if (text.size() > kPlaceLengthMax) return std::nullopt;
  const auto at = take_number(text);
  const auto kind = take_number(text);
  const auto moment = take_number(text);
  const core::Timestamp end = end_of_time();
  if (!at || !kind || !moment || !text.empty() ||
      *at > static_cast<std::uint64_t>(end.time_since_epoch().count()) ||
      *kind > static_cast<std::uint64_t>(NotificationKind::Hidden) + 1) {
    return std::nullopt;
  }
  PlaceInNotifications place{core::Timestamp(core::Timestamp::duration(*at))};
  if (*kind > 0) place.kind = static_cast<NotificationKind>(*kind - 1);
  place.moment = core::MomentId(*moment);
  return place;
}

NotificationWalk::NotificationWalk(const Ports& ports, const core::AccountId& owner,
                                   NotificationsMuted mutes,
                                   const std::optional<PlaceInNotifications>& after)
    : ports_(ports),
      owner_(owner),
      mutes_(std::move(mutes)),
      after_(after),
      contacts_(ports.reader.confided_by(owner)),
      until_(end_of_time()) {
  // A whole day again: what a notification is made of may lie behind the place.
  if (after) until_ = after->kind ? start_of_day_after(after->at) : after->at;
}

const Notification* NotificationWalk::peek() {
  while (ready_.empty() && !has_all_ && batches_ < kBatchesMax) read_batch();
  return ready_.empty() ? nullptr : &ready_.front();
}

void NotificationWalk::read_batch() {
  ++batches_;
  const auto found =
      core::value_of(ports_.database.read_each_alone([&](sql::Transaction& transaction) {
        return find_notifications(transaction, owner_, contacts_, mutes_, until_);
      }));
  const WholeDays days = whole_days(found);
  has_all_ = !days.until;
  if (days.until) until_ = *days.until;
  std::vector<Doing> doings;
  doings.reserve(days.rows.size());
  for (const NotificationRow& row : days.rows) doings.push_back(row.doing);
  const std::vector<bool> told = ports_.reader.tells(owner_, doings);
  std::vector<const NotificationRow*> rows;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (told[i]) rows.push_back(&days.rows[i]);
    keep(days.rows[i], told[i]);
  }
  for (Notification& notification : grouped(rows)) {
    if (is_behind_place(notification)) ready_.push_back(std::move(notification));
  }
}

void NotificationWalk::keep(const NotificationRow& row, bool is_told) {
  if (asked_ == nullptr || row.at <= asked_since_) return;
  if (asked_->doings.size() == asked_->doings_max) {
    asked_->is_whole = false;
    return;
  }
  asked_->doings.push_back(row.doing);
  asked_->told.push_back(is_told);
}

bool NotificationWalk::is_behind_place(const Notification& notification) const {
  if (!after_ || !after_->kind) return true;
  const auto place_of = [](core::Timestamp at, NotificationKind kind, core::MomentId moment) {
    return std::tuple(-at.time_since_epoch().count(), kind, moment);
  };
  return place_of(notification.at, notification.kind, notification.moment) >
         place_of(after_->at, *after_->kind, after_->moment);
}

}  // namespace tideline::feed
