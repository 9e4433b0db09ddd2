// PUT /v1/moments/{id}/report, /v1/moments/{id}/comments/{comment_id}/report
//
// Who does not see a thing cannot report it. The first report opens the case, which the others only
// look at: many may report at once.
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/moderation_case.hpp"
#include "feed/domain/moment.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::EventCodec;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using http::Request;
using http::Response;

const Rejection kNoSuchComment{RejectionKind::NotFound, "no-such-comment",
                               "there is no such comment"};
const Rejection kReportLimit{RejectionKind::Conflict, "report-limit-reached",
                             "you have reported as much as one may in a day"};

// All but the subject's author, the case's opening and the time.
ReportSubject read_report(const Request& request, const Subject& subject) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  ReportSubject command;
  const std::string category =
      fields.one_of("category", {"spam", "harassment", "hate", "violence", "sexual", "self-harm",
                                 "illegal", "privacy", "other"});
  command.category = parse_report_category(category).value_or(ReportCategory::Other);
  command.text = fields.optional_text("text", {1, Report::kTextCodePointsMax}).value_or("");
  fields.check();
  command.subject = subject;
  command.reporter = request.account();
  return command;
}

std::optional<core::AccountId> find_subject(const ApiPorts& ports, const Subject& subject,
                                            const core::AccountId& viewer) {
  return subject.comment ? ports.reader.find_commenter(subject.moment, *subject.comment, viewer)
                         : ports.reader.find_author(subject.moment, viewer);
}

std::uint32_t open_case(CommandSession& session, const ReportSubject& wanted) {
  const auto stream = keys::moderation_case(wanted.subject.moment, wanted.subject.comment_key());
  const EventCodec<ModerationCase> codec;
  const auto loaded = session.load_last<ModerationCase>(stream, codec);
  const auto opened = eventsourcing::change<ModerationCase>(
      session, loaded, codec, OpenCase{wanted.subject, wanted.author, wanted.now});
  // A decision meanwhile would be about fewer reports than it says.
  if (opened.events.empty()) session.assert_unchanged(loaded);
  return opened.state.opening;
}

CommandResult report_subject(const ApiPorts& ports, CommandSession& session, ReportSubject wanted) {
  const auto stream =
      keys::report(wanted.subject.moment, wanted.subject.comment_key(), wanted.reporter);
  const EventCodec<Report> codec(ports.cipher);
  const auto loaded = session.load<Report>(stream, codec);
  if (loaded.state.reported) return Answer{204, "", "", stream};
  const auto author = find_subject(ports, wanted.subject, wanted.reporter);
  if (!author) return wanted.subject.comment ? kNoSuchComment : kNoSuchMoment;
  wanted.author = *author;
  wanted.now = session.context().now;
  if (wanted.author != wanted.reporter) wanted.opening = open_case(session, wanted);
  eventsourcing::change<Report>(session, loaded, codec, wanted);
  eventsourcing::change_last<ReportCount>(
      session, keys::report_count(wanted.reporter, session.context().today),
      EventCodec<ReportCount>{}, ReportCount::Add{wanted.reporter, kReportsADay, kReportLimit});
  return Answer{204, "", "", stream};
}

Response handle_report(const ApiPorts& ports, const Request& request, const Subject& subject) {
  const auto wanted = read_report(request, subject);
  require_fresh(ports, request);
  return ports.commands.answer(
      request, [&](CommandSession& session) { return report_subject(ports, session, wanted); });
}

}  // namespace

void add_report_commands(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Put, "/v1/moments/{id}/report", http::Access::SignedIn,
             [ports](const Request& request) -> Response {
               const auto id = core::parse_moment_id(request.param("id"));
               if (!id) return to_response(http::not_found());
               return handle_report(ports, request, {*id, std::nullopt});
             });
  router.add(http::Method::Put, "/v1/moments/{id}/comments/{comment_id}/report",
             http::Access::SignedIn, [ports](const Request& request) -> Response {
               const auto id = core::parse_moment_id(request.param("id"));
               const auto comment = core::parse_comment_id(request.param("comment_id"));
               if (!id || !comment || *comment == core::CommentId()) {
                 return to_response(http::not_found());
               }
               return handle_report(ports, request, {*id, comment});
             });
}

}  // namespace tideline::feed
