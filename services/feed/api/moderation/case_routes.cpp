// GET /v1/moment-cases, /{case_id}/reports, POST /{case_id}/decision for moderators; GET
// /v1/moment-cases/decisions for operators; GET /v1/moment-decisions for whom they concern
//
// Who has written what is reported is told of no report: also as a moderator.
#include <algorithm>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/domain/comment.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed/domain/moment.hpp"
#include "feed/projections/moderation_queries.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/cursor.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using http::Json;
using http::Request;
using http::Response;
using sql::Transaction;

constexpr std::string_view kQueueCursor = "moment-cases";
constexpr std::string_view kReportsCursor = "moment-reports";
constexpr std::string_view kDecisionsCursor = "moment-decisions";

using SealedTexts = std::vector<crypto::SealedText>;
using OpenedTexts = std::vector<std::optional<std::string>>;

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json subject_json(const Subject& subject) {
  return {{"id", case_id(subject)},
          {"moment_id", core::to_string(subject.moment)},
          {"comment_id", subject.comment ? Json(core::to_string(*subject.comment)) : Json()}};
}

struct Queue {
  std::vector<OpenCaseRow> cases;
  std::vector<std::optional<SealedSubject>> texts;  // of each
  PeopleByAccount people;
};

Queue read_queue(const ApiPorts& ports, Transaction& transaction, const core::AccountId& moderator,
                 const std::optional<QueuePlace>& after, int limit) {
  Queue queue;
  queue.cases = list_open_cases(transaction, moderator, after, limit);
  std::vector<core::AccountId> authors;
  for (const OpenCaseRow& one : queue.cases) {
    queue.texts.push_back(find_subject_text(transaction, one.place.subject));
    authors.push_back(one.author);
  }
  queue.people = ports.people.find_many(transaction, authors);
  return queue;
}

// Of each case the text as it stands; nullopt: deleted, or its author's key is destroyed.
OpenedTexts open_subjects(const ApiPorts& ports, const Queue& queue) {
  SealedTexts sealed;
  for (std::size_t i = 0; i < queue.cases.size(); ++i) {
    const auto& text = queue.texts[i];
    if (text) sealed.push_back({queue.cases[i].author, text->sealed, text->context});
  }
  auto opened = core::value_of(ports.cipher.open_many(sealed));
  OpenedTexts texts;
  auto next = opened.begin();
  for (const auto& text : queue.texts) texts.push_back(text ? std::move(*next++) : std::nullopt);
  return texts;
}

// The queue is read from its head: a page has no page before it.
Response handle_queue(const ApiPorts& ports, const Request& request) {
  const auto wanted = http::value_of(http::read_page(request, kQueueCursor, parse_queue_place));
  if (wanted.before) return to_response(http::malformed("a queue has no page before its first"));
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        auto queue = core::value_of(ports.database.read([&](Transaction& transaction) {
          return read_queue(ports, transaction, request.account(), wanted.after, wanted.limit + 1);
        }));
        const auto limit = static_cast<std::size_t>(wanted.limit);
        const bool more = queue.cases.size() > limit;
        const auto texts = open_subjects(ports, queue);
        http::Page page;
        for (std::size_t i = 0; i < std::min(limit, queue.cases.size()); ++i) {
          const OpenCaseRow& one = queue.cases[i];
          Json item = subject_json(one.place.subject);
          item["author"] = person_json(queue.people, one.author);
          item["text"] = text_or_null(texts[i]);
          item["reporters"] = one.place.reporters;
          item["categories"] = one.categories;
          item["opened_at"] = core::format_iso8601(one.place.opened_at);
          page.items.push_back(std::move(item));
        }
        if (more) page.after = queue_place_text(queue.cases[limit - 1].place);
        return http::page_response(kQueueCursor, std::move(page));
      });
}

Response handle_reports(const ApiPorts& ports, const Request& request) {
  const auto subject = parse_case_id(request.param("case_id"));
  if (!subject) return to_response(http::not_found());
  const auto wanted =
      http::value_of(http::read_page(request, kReportsCursor, sql::parse_account_place));
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        sql::Slice<ReportRow> reports;
        PeopleByAccount people;
        core::value_of(ports.database.read([&](Transaction& transaction) {
          reports = list_reports(transaction, request.account(), *subject,
                                 {wanted.before, wanted.after, wanted.limit});
          std::vector<core::AccountId> reporters;
          for (const ReportRow& row : reports.items) reporters.push_back(row.reporter);
          people = ports.people.find_many(transaction, reporters);
          return true;
        }));
        SealedTexts sealed;
        for (const ReportRow& row : reports.items) {
          sealed.push_back({row.reporter, row.sealed_text,
                            eventsourcing::Stored<SubjectReported>::kTextContext});
        }
        const auto opened = core::value_of(ports.cipher.open_many(sealed));
        http::Page page;
        for (std::size_t i = 0; i < reports.items.size(); ++i) {
          const ReportRow& row = reports.items[i];
          page.items.push_back({{"reporter", person_json(people, row.reporter)},
                                {"category", row.category},
                                {"text", text_or_null(opened[i])},
                                {"opening", row.opening},
                                {"reported_at", core::format_iso8601(row.reported_at)}});
        }
        const auto place = [](const ReportRow& row) {
          return sql::place_text(sql::Place<core::AccountId>{row.reported_at, row.reporter});
        };
        if (reports.more_before) page.before = place(reports.items.front());
        if (reports.more_after) page.after = place(reports.items.back());
        return http::page_response(kReportsCursor, std::move(page));
      });
}

CommandResult decide_case(const ApiPorts& ports, CommandSession& session, const Subject& subject,
                          DecideCase wanted) {
  const auto report = session.load<Report>(
      keys::report(subject.moment, subject.comment_key(), wanted.moderator), EventCodec<Report>());
  session.assert_unchanged(report);
  wanted.has_reported = report.state.reported;
  wanted.now = session.context().now;
  const auto stream = keys::moderation_case(subject.moment, subject.comment_key());
  eventsourcing::change_last<ModerationCase>(session, stream,
                                             EventCodec<ModerationCase>(ports.cipher), wanted);
  if (wanted.decision == CaseDecision::Removed) {
    if (subject.comment) {
      eventsourcing::change<Comment>(session, keys::comment(subject.moment, *subject.comment),
                                     EventCodec<Comment>(), RemoveComment{wanted.moderator});
    } else {
      eventsourcing::change<Moment>(session, keys::moment(subject.moment),
                                    EventCodec<Moment>(ports.cipher), RemoveMoment{});
    }
  }
  return Answer{204, "", "", stream};
}

Response handle_decision(const ApiPorts& ports, const Request& request) {
  const auto subject = parse_case_id(request.param("case_id"));
  if (!subject) return to_response(http::not_found());
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  DecideCase wanted;
  wanted.decision = parse_case_decision(fields.one_of("decision", {"dismissed", "removed"}))
                        .value_or(CaseDecision::Dismissed);
  wanted.reason = fields.text("reason", {1, ModerationCase::kReasonCodePointsMax});
  fields.check();
  wanted.moderator = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) {
    return decide_case(ports, session, *subject, wanted);
  });
}

std::optional<sql::Place<std::string>> parse_decision_place(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto at = core::parse_iso8601(text.substr(0, comma));
  if (!at) return std::nullopt;
  return sql::Place<std::string>{*at, std::string(text.substr(comma + 1))};
}

// `told`: to the author of what is decided on, who does not learn by whom.
Response decisions_page(const ApiPorts& ports, const Request& request,
                        const std::optional<core::AccountId>& told) {
  const auto wanted =
      http::value_of(http::read_page(request, kDecisionsCursor, parse_decision_place));
  return http::answer_query(
      request, {ports.tables_applied}, http::WhenBehind::Stale, [&]() -> Response {
        sql::Slice<DecisionRow> decisions;
        PeopleByAccount people;
        core::value_of(ports.database.read([&](Transaction& transaction) {
          decisions =
              list_decisions(transaction, told, {wanted.before, wanted.after, wanted.limit});
          std::vector<core::AccountId> named;
          for (const DecisionRow& row : decisions.items) {
            named.insert(named.end(), {row.author, row.moderator});
          }
          if (!told) people = ports.people.find_many(transaction, named);
          return true;
        }));
        SealedTexts sealed;
        for (const DecisionRow& row : decisions.items) {
          sealed.push_back(
              {row.author, row.sealed_reason, eventsourcing::Stored<CaseDecided>::kReasonContext});
        }
        const auto opened = core::value_of(ports.cipher.open_many(sealed));
        http::Page page;
        for (std::size_t i = 0; i < decisions.items.size(); ++i) {
          const DecisionRow& row = decisions.items[i];
          Json item = subject_json(row.subject);
          item["decision"] = row.decision;
          item["reason"] = text_or_null(opened[i]);
          item["decided_at"] = core::format_iso8601(row.decided_at);
          if (!told) {
            item["author"] = person_json(people, row.author);
            item["moderator"] = person_json(people, row.moderator);
          }
          page.items.push_back(std::move(item));
        }
        if (decisions.more_before) page.before = sql::place_text(decisions.items.front().place());
        if (decisions.more_after) page.after = sql::place_text(decisions.items.back().place());
        return http::page_response(kDecisionsCursor, std::move(page));
      });
}

}  // namespace

void add_case_routes(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  router.add(Method::Get, "/v1/moment-cases", Access::Moderator,
             [ports](const Request& request) { return handle_queue(ports, request); });
  router.add(
      Method::Get, "/v1/moment-cases/decisions", Access::Operator,
      [ports](const Request& request) { return decisions_page(ports, request, std::nullopt); });
  router.add(Method::Get, "/v1/moment-cases/{case_id}/reports", Access::Moderator,
             [ports](const Request& request) { return handle_reports(ports, request); });
  router.add(Method::Post, "/v1/moment-cases/{case_id}/decision", Access::Moderator,
             [ports](const Request& request) { return handle_decision(ports, request); });
  router.add(Method::Get, "/v1/moment-decisions", Access::SignedIn,
             [ports](const Request& request) {
               return decisions_page(ports, request, request.account());
             });
}

}  // namespace tideline::feed
