#include "projects/api/project_search.hpp"

#include <cstddef>
#include <utility>

#include "http/messages/cursor.hpp"
#include "projects/api/project_items.hpp"
#include "projects/projections/project_search.hpp"
#include "projects/stored_events.hpp"

namespace tideline::projects {
namespace {

using Place = sql::Place<std::string>;

constexpr std::string_view kSearchedProjects = "projects-found";
// What has the terms is looked at again, so many at once; a page looks at so many at most.
constexpr int kCandidates = 50;
constexpr int kLooksMax = 10;

search::Query read_words(const http::Request& request) {
  const auto query = search::Query::parse(*request.query("query"), search::Match::Words);
  if (!query) http::refuse(http::malformed(std::string(search::Query::kRule)));
  return *query;
}

ProjectFilter read_filter(const ApiPorts& ports, const http::Request& request) {
  if (request.query("order").value_or("newest") != "newest") {
    http::refuse(http::malformed("order is newest"));
  }
  ProjectFilter filter;
  if (const auto author = request.query("author")) {
    if (!core::is_user_id(*author)) http::refuse(http::malformed("author is not a user_id"));
    filter.author = ports.account_ids.of(*author);
  }
  if (const auto label = request.query("label")) {
    filter.label = {
        std::string(*label),
        ports.cipher.index(*label, eventsourcing::Stored<ProjectCreated>::kLabelKeysContext)};
  }
  return filter;
}

class ProjectSearch {
 public:
  ProjectSearch(const ApiPorts& ports, const core::AccountId& viewer, search::Query query,
                ProjectFilter filter)
      : ports_(ports),
        viewer_(viewer),
        query_(std::move(query)),
        terms_(project_terms(ports.cipher).of(query_.terms())),
        filter_(std::move(filter)) {}

  http::Response page(std::optional<Place> after, std::size_t limit) {
    std::optional<Place> next;
    for (int looks = 0; looks < kLooksMax && !query_.is_empty(); ++looks) {
      next = look(after, limit);
      if (!next || found_.projects.size() == limit) break;
      after = next;
    }
    found_.people = core::value_of(ports_.database.read([&](sql::Transaction& transaction) {
      return authors_of(ports_, transaction, found_.projects);
    }));
    http::Page page{projects_json(ports_, found_, opened_, viewer_), std::nullopt, std::nullopt};
    if (next) page.after = sql::place_text(*next);
    return http::page_response(kSearchedProjects, std::move(page));
  }

 private:
  // Adds what matches, up to `limit` in all. Where the next look begins; nullopt: that was all.
  std::optional<Place> look(const std::optional<Place>& after, std::size_t limit) {
    const auto candidates = core::value_of(ports_.database.read([&](sql::Transaction& transaction) {
      return list_by_terms(transaction, terms_, filter_, viewer_,
                           {std::nullopt, after, kCandidates});
    }));
    const auto& rows = candidates.items;
    auto opened = open_projects(ports_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found_.projects.size() == limit) return Place{rows[i - 1].published_at, rows[i - 1].id};
      const auto& [card, labels] = opened[i];
      if (!card || !query_.matches(words_of(*card, labels))) continue;
      found_.projects.push_back(rows[i]);
      opened_.push_back(std::move(opened[i]));
    }
    if (!candidates.more_after) return std::nullopt;
    return Place{rows.back().published_at, rows.back().id};
  }

  const ApiPorts& ports_;
  const core::AccountId viewer_;
  const search::Query query_;
  const std::vector<std::int64_t> terms_;
  const ProjectFilter filter_;
  NamedProjects found_;
  std::vector<OpenedProject> opened_;
};

}  // namespace

http::Response search_projects(const ApiPorts& ports, const http::Request& request) {
  const auto wanted =
      http::value_of(http::read_page(request, kSearchedProjects, sql::parse_id_place));
  if (wanted.before) http::refuse(http::malformed("what is found is read by ?after= alone"));
  auto query = read_words(request);
  auto filter = read_filter(ports, request);
  return http::answer_query(
      request,
      {ports.people_applied, ports.blocks_applied, ports.projects_applied, ports.search_applied},
      http::WhenBehind::Stale, [&] {
        ProjectSearch search(ports, request.account(), query, filter);
        return search.page(wanted.after, static_cast<std::size_t>(wanted.limit));
      });
}

}  // namespace tideline::projects
