// GET /v1/notifications, GET /v1/notifications/unread
#include <algorithm>
#include <map>
#include <set>

#include "feed/api/notifications/unread_notifications.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "http/messages/cursor.hpp"
#include "people/person_json.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;

constexpr std::string_view kNotifications = "notifications";
// Of whom a notification names, and counts.
constexpr std::size_t kNamedMax = 3;
constexpr std::size_t kPeopleCountMax = 1000;

std::map<core::AccountId, people::Person> find_named(const ApiPorts& ports,
                                                     const std::vector<Notification>& page) {
  std::set<core::AccountId> named;
  for (const Notification& notification : page) {
    const auto count = std::min(notification.people.size(), kNamedMax);
    named.insert(notification.people.begin(),
                 notification.people.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
    return ports.people.find_many(transaction,
                                  std::vector<core::AccountId>(named.begin(), named.end()));
  }));
}

Json item_of(const Notification& notification,
             const std::map<core::AccountId, people::Person>& named, core::Timestamp seen_up_to) {
  Json item{{"kind", to_string(notification.kind)},
            {"moment_id", nullptr},
            {"comment_id", nullptr},
            {"people", Json::array()},
            {"people_count", std::min(notification.people.size(), kPeopleCountMax)},
            {"at", core::format_iso8601(notification.at)},
            {"unread", notification.at > seen_up_to}};
  if (notification.moment != core::MomentId()) {
    item["moment_id"] = core::to_string(notification.moment);
  }
  if (notification.comment != core::CommentId()) {
    item["comment_id"] = core::to_string(notification.comment);
  }
  for (std::size_t i = 0; i < std::min(notification.people.size(), kNamedMax); ++i) {
    item["people"].push_back(people::person_json(named, notification.people[i]));
  }
  return item;
}

Response list_notifications(const ApiPorts& ports, const Request& request) {
  const auto wanted =
      http::value_of(http::read_page(request, kNotifications, parse_place_in_notifications));
  if (wanted.before) http::refuse(http::malformed("notifications are read by ?after= alone"));
  const auto limit = static_cast<std::size_t>(wanted.limit);
  return answer_private(ports, request, ports.notifications_applied, [&] {
    const NotificationSetting setting = find_setting(ports.database, request.account());
    NotificationWalk walk({ports.database, ports.reader}, request.account(), setting.mutes,
                          wanted.after);
    std::vector<Notification> found;
    while (found.size() < limit) {
      const Notification* next = walk.peek();
      if (next == nullptr) break;
      found.push_back(*next);
      walk.drop();
    }
    http::Page page;
    if (walk.peek() != nullptr) {
      page.after = to_string(PlaceInNotifications::behind(found.back()));
    } else if (!walk.has_all()) {
      page.after = to_string(PlaceInNotifications{walk.read_to()});
    }
    const auto named = find_named(ports, found);
    for (const Notification& notification : found) {
      page.items.push_back(item_of(notification, named, setting.seen_up_to));
    }
    return http::page_response(kNotifications, std::move(page));
  });
}

Response count_unread_notifications(const ApiPorts& ports, const Request& request) {
  return answer_private(ports, request, ports.notifications_applied, [&] {
    const UnreadNotifications unread =
        count_unread({ports.database, ports.reader}, request.account()).unread;
    Json answer{{"unread", unread.count}, {"more", unread.more}, {"seen_up_to", nullptr}};
    if (unread.seen_up_to != core::Timestamp{}) {
      answer["seen_up_to"] = core::format_iso8601(unread.seen_up_to);
    }
    return Response::json(200, answer);
  });
}

}  // namespace

void add_notification_queries(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/notifications", http::Access::SignedIn,
             [ports](const Request& request) { return list_notifications(ports, request); });
  router.add(
      http::Method::Get, "/v1/notifications/unread", http::Access::SignedIn,
      [ports](const Request& request) { return count_unread_notifications(ports, request); });
}

}  // namespace tideline::feed
