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

// nullopt: it is not asked for.
std::optional<search::Query> read_words(const http::Request& request, std::string_view parameter,
                                        search::Match match) {
  const auto text = request.query(parameter);
  if (!text) return std::nullopt;
  const auto query = search::Query::parse(*text, match);
  if (!query) http::refuse(http::malformed(std::string(search::Query::kRule)));
  return query;
}

// At least one of both.
struct WantedWords {
  std::optional<search::Query> anywhere;
  std::optional<search::Query> in_name;

  bool is_empty() const {
    return (anywhere && anywhere->is_empty()) || (in_name && in_name->is_empty());
  }
  bool matches(const Card& card, const Labels& labels) const {
    return (!anywhere || anywhere->matches(words_of(card, labels))) &&
           (!in_name || in_name->matches(name_words_of(card)));
  }
};

std::vector<std::int64_t> terms_of(const ApiPorts& ports, const WantedWords& wanted) {
  std::vector<std::int64_t> terms;
  if (wanted.anywhere) terms = project_terms(ports.cipher).of(wanted.anywhere->terms());
  if (!wanted.in_name) return terms;
  const auto of_name = project_name_terms(ports.cipher).of(wanted.in_name->terms());
  terms.insert(terms.end(), of_name.begin(), of_name.end());
  return terms;
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
  ProjectSearch(const ApiPorts& ports, const core::AccountId& viewer, WantedWords wanted,
                ProjectFilter filter)
      : ports_(ports),
        viewer_(viewer),
        wanted_(std::move(wanted)),
        terms_(terms_of(ports, wanted_)),
        filter_(std::move(filter)) {}

  http::Response page(std::optional<Place> after, std::size_t limit) {
    std::optional<Place> next;
    for (int looks = 0; looks < kLooksMax && !wanted_.is_empty(); ++looks) {
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
      if (!card || !wanted_.matches(*card, labels)) continue;
      found_.projects.push_back(rows[i]);
      opened_.push_back(std::move(opened[i]));
    }
    if (!candidates.more_after) return std::nullopt;
    return Place{rows.back().published_at, rows.back().id};
  }

  const ApiPorts& ports_;
  const core::AccountId viewer_;
  const WantedWords wanted_;
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
  const WantedWords words{read_words(request, "query", search::Match::Words),
                          read_words(request, "name", search::Match::Prefixes)};
  auto filter = read_filter(ports, request);
  return http::answer_query(
      request,
      {ports.people_applied, ports.blocks_applied, ports.projects_applied, ports.search_applied},
      http::WhenBehind::Stale, [&] {
        ProjectSearch search(ports, request.account(), words, filter);
        return search.page(wanted.after, static_cast<std::size_t>(wanted.limit));
      });
}

}  // namespace tideline::projects
