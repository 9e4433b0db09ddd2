// By what words moments and messages are found. Texts are opened to be taken apart, and only keys
// of their words are kept. Who may see what is not asked here: every search asks the engine.
//
// A projection of its own: texts take longer to open than anything else that feed does with an
// event, and what is published is to be seen before it can be searched. Called by one runner
// thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "eventsourcing/projections/projection.hpp"
#include "feed/projections/search/message_search_model.hpp"
#include "feed/projections/search/moment_search_model.hpp"

namespace tideline::feed {

class SearchProjection final : public eventsourcing::Projection {
 public:
  // The sealer must outlive it.
  explicit SearchProjection(eventsourcing::TextSealer& sealer) : opener_(sealer) {}

  std::string_view name() const override { return "search"; }
  std::vector<std::string> sources() const override { return {"feed", "accounts"}; }
  std::vector<std::string> tables() const override;

  void load(sql::Transaction&) override { flushed(); }
  void apply(const eventsourcing::RecordedEvent& event) override;
  // Opens texts: blocks for the port of keys, too.
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  WordOpener opener_;
  MomentSearchModel moments_;
  MessageSearchModel messages_;
  std::set<core::AccountId> closed_;  // since the last flush
};

}  // namespace tideline::feed
