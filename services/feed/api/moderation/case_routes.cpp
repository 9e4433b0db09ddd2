// GET /v1/moment-cases, /{case_id}/reports, POST /{case_id}/decision for moderators; GET
// /v1/moment-cases/decisions for operators; GET /v1/moment-decisions for whom they concern
//
// Who has written what is reported is told of no report: also as a moderator.
#include <algorithm>

#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/moderation/case_items.hpp"
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

struct Queue {
  std::vector<OpenCaseRow> cases;
  PeopleByAccount people;
};

Queue read_queue(const ApiPorts& ports, Transaction& transaction, const core::AccountId& moderator,
                 const std::optional<QueuePlace>& after, int limit) {
  Queue queue;
  queue.cases = list_open_cases(transaction, moderator, after, limit);
  std::vector<core::AccountId> authors;
  for (const OpenCaseRow& one : queue.cases) authors.push_back(one.author);
  queue.people = ports.people.find_many(transaction, authors);
  return queue;
}

std::vector<std::optional<std::string>> texts_of(const ApiPorts& ports, const Queue& queue) {
  std::vector<std::pair<Subject, core::AccountId>> subjects;
  for (const OpenCaseRow& one : queue.cases) {
    subjects.emplace_back(one.place.subject, one.author);
  }
  return open_subjects(ports, subjects);
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
        const auto texts = texts_of(ports, queue);
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

// What follows of a decision for the moment or the comment.
void change_subject(const ApiPorts& ports, CommandSession& session, const Subject& subject,
                    const Moment::Command& of_moment, const Comment::Command& of_comment) {
  if (subject.comment) {
    eventsourcing::change<Comment>(session, keys::comment(subject.moment, *subject.comment),
                                   EventCodec<Comment>(), of_comment);
  } else {
    eventsourcing::change<Moment>(session, keys::moment(subject.moment),
                                  EventCodec<Moment>(ports.cipher), of_moment);
  }
}

void change_subject(const ApiPorts& ports, CommandSession& session, const Subject& subject,
                    const DecideCase& decided) {
  if (decided.decision == CaseDecision::Dismissed) return;
  change_subject(ports, session, subject, RemoveMoment{}, RemoveComment{decided.moderator});
}

void change_subject(const ApiPorts& ports, CommandSession& session, const Subject& subject,
                    const RuleCase& ruled) {
  if (ruled.ruling == CaseRuling::Hidden) {
    change_subject(ports, session, subject, HideMoment{ruled.now}, HideComment{ruled.now});
  } else {
    change_subject(ports, session, subject, RestoreMoment{ruled.now}, RestoreComment{ruled.now});
  }
}

template <class Command>
CommandResult decide_case(const ApiPorts& ports, CommandSession& session, const Subject& subject,
                          Command wanted) {
  const auto report = session.load<Report>(
      keys::report(subject.moment, subject.comment_key(), wanted.moderator), EventCodec<Report>());
  session.assert_unchanged(report);
  wanted.has_reported = report.state.reported;
  wanted.now = session.context().now;
  const auto stream = keys::moderation_case(subject.moment, subject.comment_key());
  eventsourcing::change_last<ModerationCase>(session, stream,
                                             EventCodec<ModerationCase>(ports.cipher), wanted);
  change_subject(ports, session, subject, wanted);
  return Answer{204, "", "", stream};
}

Response handle_decision(const ApiPorts& ports, const Request& request) {
  const auto subject = parse_case_id(request.param("case_id"));
  if (!subject) return to_response(http::not_found());
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string what =
      fields.one_of("decision", {"dismissed", "removed", "hidden", "restored"});
  const std::string reason = fields.text("reason", {1, ModerationCase::kReasonCodePointsMax});
  fields.check();
  const auto decide = [&](const auto& wanted) {
    return ports.commands.answer(request, [&](CommandSession& session) {
      return decide_case(ports, session, *subject, wanted);
    });
  };
  if (const auto decision = parse_case_decision(what)) {
    return decide(DecideCase{request.account(), false, *decision, reason, {}});
  }
  const auto ruling = parse_case_ruling(what).value_or(CaseRuling::Hidden);
  return decide(RuleCase{request.account(), false, ruling, reason, {}});
}

// The event that it is of has sealed it.
std::string_view reason_context(std::string_view decision) {
  return parse_case_ruling(decision) ? eventsourcing::Stored<CaseRuled>::kReasonContext
                                     : eventsourcing::Stored<CaseDecided>::kReasonContext;
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
          sealed.push_back({row.author, row.sealed_reason, reason_context(row.decision)});
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
