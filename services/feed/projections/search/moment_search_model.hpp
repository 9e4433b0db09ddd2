// Table `moment_search`: by what words and topics each moment is found. Part of SearchProjection.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "feed/projections/search/word_opener.hpp"
#include "feed/stored_events.hpp"
#include "sql/transaction.hpp"

namespace tideline::feed {

class MomentSearchModel {
 public:
  static constexpr std::array kTables{"moment_search"};

  void apply(const eventsourcing::RecordedEvent& event);
  // Nothing is kept of the closed ones, which table `search_closed` knows if it was before.
  void flush(sql::Transaction& transaction, const WordOpener& opener,
             const std::set<core::AccountId>& closed) const;
  void clear() { changes_.clear(); }

 private:
  struct Change {
    core::AccountId author;
    bool published = false;             // false: it was before the last flush
    std::optional<std::int64_t> scope;  // if it has another one
    std::uint32_t edit = 0;
    std::string sealed;  // "": its text is the same
    bool deleted = false;
    std::optional<bool> hidden;  // if that has changed
  };
  struct Row {
    core::MomentId id;
    const Change* change;
    WordOpener::Terms terms;
  };

  std::vector<Row> open_texts(const WordOpener& opener,
                              const std::set<core::AccountId>& closed) const;

  // Since the last flush.
  std::map<core::MomentId, Change> changes_;
};

}  // namespace tideline::feed
