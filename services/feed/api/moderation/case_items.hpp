// Parts of answers about what is reported and decided.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "feed/api/ports.hpp"
#include "feed/domain/report.hpp"
#include "http/messages/json.hpp"
#include "sql/keyset.hpp"

namespace tideline::feed {

http::Json text_or_null(const std::optional<std::string>& text);
// Its case's id, and its own.
http::Json subject_json(const Subject& subject);

// Where a page of decisions, or of what they have hidden, ends.
std::optional<sql::Place<std::string>> parse_decision_place(std::string_view text);

// The texts of reported subjects as they stand, of each by whom; nullopt: deleted, or its author's
// key is destroyed. Blocks on the database; throws what value_of() does.
std::vector<std::optional<std::string>> open_subjects(
    const ApiPorts& ports, const std::vector<std::pair<Subject, core::AccountId>>& subjects);

// What the author of something that is hidden is shown of it: why, and since when, but not by whom.
// Of each of these subjects {reason, hidden_at}. Both are null where the tables have not got it
// yet; the reason is, too, where its author's key is destroyed. Blocks on the database, if there
// are any; throws what value_of() does.
std::vector<std::pair<Subject, http::Json>> read_hidings(const ApiPorts& ports,
                                                         const std::vector<Subject>& subjects);

}  // namespace tideline::feed
