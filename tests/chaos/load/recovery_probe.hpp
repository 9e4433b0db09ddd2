// Writes to one service and looks whether what it has written is there: how long a fault can be
// felt by who reads.
//
// One thread each; a probe has an account of its own.
#pragma once

#include <string>

#include "allowance.hpp"
#include "sender.hpp"

namespace tideline::chaos {

inline constexpr std::array kProbed = {"accounts", "projects", "social-graph", "feed", "scoring"};

class RecoveryProbe {
 public:
  // `account` is registered; `adjuster` is an operator's. All must outlive the probe.
  RecoveryProbe(std::string service, Account& account, Account adjuster, Sender& sender,
                Journal& journal);

  // Writes until the load is over, a new command as soon as the last one is acknowledged.
  void probe_writes(Allowance& allowance);
  // The same, and looks. Each look is a line of the journal of kind "sight": begun with the
  // writing, answered when it was to be seen.
  void probe_reads(Allowance& allowance);

 private:
  Command command();
  std::string target() const;

  std::string service_;
  Account& account_;
  Account adjuster_;
  Sender& sender_;
  Journal& journal_;
  std::string project_;
  std::string tag_;  // "" = none is there
  std::uint64_t written_ = 0;
};

}  // namespace tideline::chaos
