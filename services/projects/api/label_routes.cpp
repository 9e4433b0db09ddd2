#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "projects/api/answers.hpp"
#include "projects/api/routes.hpp"
#include "projects/projections/project_queries.hpp"
#include "projects/stored_events.hpp"

namespace tideline::projects {
namespace {

using http::Json;
using http::Request;
using http::Response;
using StoredProject = eventsourcing::Stored<ProjectCreated>;

// The label of that key, as the author of a project that has it wrote it. A label of older events
// is its own key.
std::optional<std::string> text_of(const ApiPorts& ports, const std::string& key,
                                   const std::string& opened) {
  const auto labels = labels_from_json(opened);
  if (!labels) return std::nullopt;
  const auto found = std::ranges::find_if(labels->names, [&](const std::string& name) {
    return name == key || ports.cipher.index(name, StoredProject::kLabelKeysContext) == key;
  });
  if (found == labels->names.end()) return std::nullopt;
  return *found;
}

Response answer_labels(const ApiPorts& ports, const std::vector<LabelRow>& rows,
                       std::size_t limit) {
  std::vector<crypto::SealedText> sealed;
  for (const LabelRow& row : rows) {
    sealed.push_back({row.author, row.sealed_labels, StoredProject::kLabelsContext});
  }
  const auto opened = core::value_of(ports.cipher.open_many(sealed));
  // In the order of their rows, each once: both keys of a label count for it.
  std::vector<std::pair<std::string, std::int64_t>> labels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto text = opened[i] ? text_of(ports, rows[i].key, *opened[i]) : std::nullopt;
    if (!text) continue;  // its author has just been erased
    const auto known =
        std::ranges::find(labels, *text, &std::pair<std::string, std::int64_t>::first);
    if (known != labels.end()) {
      known->second += rows[i].projects;
    } else if (labels.size() < limit) {
      labels.emplace_back(*text, rows[i].projects);
    }
  }
  http::Page page;
  for (const auto& [label, projects] : labels) {
    page.items.push_back({{"label", label}, {"projects", projects}});
  }
  return http::page_response("labels", std::move(page));
}

Response get_labels(const ApiPorts& ports, const Request& request) {
  const auto page = http::value_of(http::read_page(request, "labels", sql::parse_id_place));
  if (page.before || page.after) {
    http::refuse(http::malformed("the labels that are used most are one page"));
  }
  using Rows = std::vector<LabelRow>;
  return answer_from_tables<Rows>(
      ports, request,
      [&](sql::Transaction& transaction) -> Rows {
        return list_labels(transaction, request.account(), page.limit);
      },
      [&](const Rows& rows) {
        return answer_labels(ports, rows, static_cast<std::size_t>(page.limit));
      });
}

}  // namespace

void add_label_routes(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Get, "/v1/projects/labels", http::Access::SignedIn,
             [ports](const Request& request) { return get_labels(ports, request); });
}

}  // namespace tideline::projects
