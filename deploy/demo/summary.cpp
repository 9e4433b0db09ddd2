#include "demo/summary.hpp"

#include <algorithm>
#include <cstdio>

#include "demo/oracle.hpp"

namespace tideline::demo {
namespace {

double milliseconds_at(const std::vector<std::chrono::microseconds>& ascending, double share) {
  if (ascending.empty()) return 0;
  const auto last = static_cast<double>(ascending.size() - 1);
  return static_cast<double>(ascending[static_cast<std::size_t>(last * share)].count()) / 1000.0;
}

PersonIndex best_connected(const World& world) {
  const auto best = std::max_element(
      world.contacts.begin(), world.contacts.end(),
      [](const auto& one, const auto& other) { return one.size() < other.size(); });
  return static_cast<PersonIndex>(best - world.contacts.begin());
}

void print_timeline(Client& client, Campus& campus, PersonIndex person) {
  const Person& viewer = campus.world().people[person];
  std::printf("\nTimeline of %s (%s, %zu contacts), newest first\n", viewer.user_id.c_str(),
              viewer.real_name.c_str(), campus.world().contacts[person].size());
  const Json answer = campus.as(client, person, 200, "GET", "/v1/timeline?limit=5").json();
  for (const Json& item : answer.at("items")) {
    std::printf("  %s  %-18s %s\n",
                item.at("published_at").get<std::string>().substr(0, 19).c_str(),
                item.at("author").at("user_id").get<std::string>().c_str(),
                item.at("content").get<std::string>().c_str());
  }
}

void print_leaderboard(Client& client, Campus& campus) {
  std::printf("\nLeaderboard\n");
  const Json answer = campus.as(client, 0, 200, "GET", "/v1/leaderboard?limit=5").json();
  for (const Json& item : answer.at("items")) {
    const Json user = item.at("user").at("user_id");
    std::printf("  %4lld  %-18s %6lld points\n",
                static_cast<long long>(item.at("rank").get<std::int64_t>()),
                user.is_null() ? "?" : user.get<std::string>().c_str(),
                static_cast<long long>(item.at("points").get<std::int64_t>()));
  }
}

void print_calendar(Client& client, Campus& campus) {
  const World& world = campus.world();
  const auto busiest = static_cast<PersonIndex>(
      std::max_element(world.contributions.begin(), world.contributions.end()) -
      world.contributions.begin());
  const std::string& user_id = world.people[busiest].user_id;
  std::printf("\nCalendar of %s\n", user_id.c_str());
  const Json answer = campus.as(client, busiest, 200, "GET", "/v1/calendars/" + user_id).json();
  for (const Json& month : answer.at("months")) {
    for (const Json& day : month.at("days")) {
      std::printf("  %lld-%02lld-%02lld  %lld contributions\n",
                  static_cast<long long>(answer.at("year").get<std::int64_t>()),
                  static_cast<long long>(month.at("month").get<std::int64_t>()),
                  static_cast<long long>(day.at("day").get<std::int64_t>()),
                  static_cast<long long>(day.at("contributions").get<std::int64_t>()));
    }
  }
}

}  // namespace

void print_summary(WorkerPool& workers, Campus& campus, const Verified& verified,
                   const Measured& measured, const Traffic& traffic) {
  Client& client = workers.first();
  print_timeline(client, campus, best_connected(campus.world()));
  print_leaderboard(client, campus);
  print_calendar(client, campus);

  std::printf("\nVerified against the demo's own computation\n");
  std::printf("  timelines, whole and in order  %zu (%zu entries)\n", verified.timelines,
              verified.timeline_entries);
  std::printf("  author pages as others see     %zu\n", verified.pages_of_authors);
  std::printf("  searches                       %zu\n", verified.searches);
  std::printf("  pages of topics                %zu\n", verified.topics);
  std::printf("  bookmarks                      %zu\n", verified.bookmarks);
  std::printf("  notifications                  %zu\n", verified.notifications);
  std::printf("  pictures, in three sizes       %zu\n", verified.pictures);
  std::printf("  reposts                        %zu\n", verified.reposts);
  std::printf("  polls                          %zu\n", verified.polls);
  std::printf("  scores                         %zu\n", verified.scores);

  const double publishing = std::max(measured.publishing.count(), 1e-9);
  std::printf("\nMeasured through the gateway\n");
  std::printf("  requests                       %llu (%llu sent again)\n",
              static_cast<unsigned long long>(traffic.requests.load()),
              static_cast<unsigned long long>(traffic.retries.load()));
  if (measured.events > 0) {
    std::printf("  events                         %llu\n",
                static_cast<unsigned long long>(measured.events));
  }
  std::printf("  moments published              %zu in %.1f s\n", measured.moments, publishing);
  std::printf("  deliveries                     %llu (%.0f/s)\n",
              static_cast<unsigned long long>(measured.deliveries),
              static_cast<double>(measured.deliveries) / publishing);
  std::printf("  publish to visible             p50 %.1f ms, p99 %.1f ms (%zu moments)\n",
              milliseconds_at(measured.publish_to_visible, 0.50),
              milliseconds_at(measured.publish_to_visible, 0.99),
              measured.publish_to_visible.size());
  std::printf("  whole demo                     %.1f s\n", measured.whole.count());
}

}  // namespace tideline::demo
