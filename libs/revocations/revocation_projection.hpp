// Writes the table of revocations from the events of accounts, and tells the set of this process at
// once; those of other processes read the table. Used by one runner thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventsourcing/projections/projection.hpp"
#include "revocations/revoked_tokens.hpp"

namespace tideline::revocations {

class RevocationProjection final : public eventsourcing::Projection {
 public:
  // `tokens` must outlive it.
  explicit RevocationProjection(RevokedTokens& tokens) : tokens_(tokens) {}

  std::string_view name() const override { return "revocations"; }
  std::vector<std::string> sources() const override { return {"accounts"}; }
  // Whoever closes an account expects that nothing happens under it any more. No tables(): what the
  // table holds depends on the time, so it is never built beside itself.
  eventsourcing::FlushPolicy flush_policy() const override {
    return {.interval = std::chrono::milliseconds(5)};
  }
  void load(sql::Transaction&) override { pending_.clear(); }
  void apply(const eventsourcing::RecordedEvent& event) override;
  void flush(sql::Transaction& transaction) override;
  void flushed() override;

 private:
  RevokedTokens& tokens_;
  std::vector<Revocation> pending_;  // since the last flush
};

}  // namespace tideline::revocations
