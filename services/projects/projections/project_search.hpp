// Projects by the words of their cards and labels: table project_search, from this service's own
// events. Texts are opened for the flush alone; the table has keyed hashes of their words. Who may
// see a project is asked of the table of projects, by every search.
//
// A projection of its own: texts take longer to open than anything else that is done with an event,
// and what is published is to be seen before it can be searched. Called by one runner thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "eventsourcing/events/text_sealer.hpp"
#include "eventsourcing/projections/projection.hpp"
#include "projects/domain/project.hpp"
#include "projects/projections/project_queries.hpp"
#include "search/term_keys.hpp"
#include "search/terms.hpp"

namespace tideline::projects {

// What a project is found by: name, introduction, whom it looks for, labels.
search::Words words_of(const Card& card, const Labels& labels);

// And while somebody types: by what begins the words of its name.
search::Words name_words_of(const Card& card);

// The terms of a query as the table keeps them; those of names have keys of their own. The sealer
// must outlive them.
search::TermKeys project_terms(const eventsourcing::TextSealer& sealer);
search::TermKeys project_name_terms(const eventsourcing::TextSealer& sealer);

class ProjectSearchProjection final : public eventsourcing::Projection {
 public:
  // The sealer must outlive it.
  explicit ProjectSearchProjection(eventsourcing::TextSealer& sealer) : sealer_(sealer) {}

  std::string_view name() const override { return "project-search"; }
  std::vector<std::string> sources() const override { return {"projects"}; }
  std::vector<std::string> tables() const override { return {"project_search"}; }
  void load(sql::Transaction&) override { latest_.clear(); }
  void apply(const eventsourcing::RecordedEvent& event) override;
  // Opens texts: blocks for the port of keys, too. Throws core::Failed when they cannot be opened.
  void flush(sql::Transaction& transaction) override;
  void flushed() override { latest_.clear(); }

 private:
  struct Latest {
    core::AccountId author;
    std::optional<std::string> sealed_card;  // nullopt: abandoned
    std::string sealed_labels;
    core::StreamVersion version;
  };
  struct Entry {
    std::string terms;  // "{1,2}"
    core::StreamVersion version;
  };

  std::map<std::string, Entry> entries() const;

  eventsourcing::TextSealer& sealer_;
  std::map<std::string, Latest> latest_;  // by project id, since the last flush
};

// What a search is restricted to, besides its words.
struct ProjectFilter {
  std::optional<core::AccountId> author{};
  std::optional<LabelKeys> label{};
};

// Of the projects that the listings of the same filter show to `viewer`, those that have all the
// terms, newest first: candidates, whose texts have to be looked at.
sql::Slice<ProjectRow> list_by_terms(sql::Transaction& transaction,
                                     const std::vector<std::int64_t>& terms,
                                     const ProjectFilter& filter, const core::AccountId& viewer,
                                     const sql::Window<std::string>& window);

}  // namespace tideline::projects
