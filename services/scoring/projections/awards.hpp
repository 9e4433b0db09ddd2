// Who earns from an event, and for what reason. Unfriending and the like take nothing back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scoring/domain/rules.hpp"
#include "scoring/projections/events_read.hpp"

namespace tideline::scoring {

struct Award {
  core::AccountId account;
  Reason reason = Reason::SignIn;
  std::int64_t adjusted_by = 0;  // of Reason::Adjustment; the other reasons go by their rule
  // What the person may know of the source: the other one of a friendship or follow (a visitor or
  // voter is not named), the project, an operator's words, sealed under the person's key.
  std::optional<core::AccountId> person{};
  std::optional<std::string> project_id{};
  std::optional<std::string> sealed_note{};
};

std::vector<Award> awards_of(const Fact& fact);

// Whom the fact counts for, once for each award and for a registration or a closing: the number of
// such events is the version of what is published of a person (score_publisher.hpp). `awards` are
// those of the fact.
std::vector<core::AccountId> people_of(const Fact& fact, const std::vector<Award>& awards);

}  // namespace tideline::scoring
