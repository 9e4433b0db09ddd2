#include "feed/api/moderation/case_items.hpp"

#include <map>
#include <string>

#include "feed/projections/moderation_queries.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {

http::Json text_or_null(const std::optional<std::string>& text) {
  return text ? http::Json(*text) : http::Json();
}

http::Json subject_json(const Subject& subject) {
  return {{"id", case_id(subject)},
          {"moment_id", core::to_string(subject.moment)},
          {"comment_id",
           subject.comment ? http::Json(core::to_string(*subject.comment)) : http::Json()}};
}

std::optional<sql::Place<std::string>> parse_decision_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto at = core::parse_iso8601(text.substr(0, comma));
  if (!at) return std::nullopt;
  return sql::Place<std::string>{*at, std::string(text.substr(comma + 1))};
}

std::vector<std::optional<std::string>> open_subjects(
    const ApiPorts& ports, const std::vector<std::pair<Subject, core::AccountId>>& subjects) {
  std::vector<std::optional<SealedSubject>> texts;
  std::vector<crypto::SealedText> sealed;
  core::value_of(ports.database.read([&](sql::Transaction& transaction) {
    texts.clear();
    for (const auto& [subject, author] : subjects) {
      texts.push_back(find_subject_text(transaction, subject));
    }
    return true;
  }));
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (texts[i]) sealed.push_back({subjects[i].second, texts[i]->sealed, texts[i]->context});
  }
  auto opened = core::value_of(ports.cipher.open_many(sealed));
  std::vector<std::optional<std::string>> shown;
  auto next = opened.begin();
  for (const auto& text : texts) shown.push_back(text ? std::move(*next++) : std::nullopt);
  return shown;
}

std::vector<std::pair<Subject, http::Json>> read_hidings(const ApiPorts& ports,
                                                         const std::vector<Subject>& subjects) {
  std::vector<std::pair<Subject, http::Json>> hidings;
  if (subjects.empty()) return hidings;
  const auto found = core::value_of(ports.database.read_each_alone(
      [&](sql::Transaction& transaction) { return find_hidings(transaction, subjects); }));
  std::vector<crypto::SealedText> sealed;
  for (const auto& [id, row] : found) {
    sealed.push_back(
        {row.author, row.sealed_reason, eventsourcing::Stored<CaseRuled>::kReasonContext});
  }
  const auto opened = core::value_of(ports.cipher.open_many(sealed));
  std::map<std::string, http::Json> shown;
  auto reason = opened.begin();
  for (const auto& [id, row] : found) {
    shown[id] = {{"reason", text_or_null(*reason)},
                 {"hidden_at", core::format_iso8601(row.hidden_at)}};
    ++reason;
  }
  for (const Subject& subject : subjects) {
    const auto one = shown.find(case_id(subject));
    hidings.emplace_back(subject, one == shown.end()
                                      ? http::Json{{"reason", nullptr}, {"hidden_at", nullptr}}
                                      : one->second);
  }
  return hidings;
}

}  // namespace tideline::feed
