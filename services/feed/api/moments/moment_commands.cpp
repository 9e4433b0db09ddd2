// POST /v1/moments, PATCH and DELETE /v1/moments/{id}, PUT /v1/moments/{id}/audience
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "feed/api/mentions.hpp"
#include "feed/api/named_images.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/domain/moment.hpp"
#include "feed/stored_events.hpp"
#include "feed/stream_keys.hpp"
#include "http/messages/json.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Answer;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;
using http::Request;
using http::Response;

// A mistyped tag in the lists of a partly-invisible moment would show it to whom it is to be kept
// from; and what names nothing would take memory all the same.
const Rejection kNoSuchTag{RejectionKind::NotFound, "no-such-tag",
                           "a moment names tags of its author's own"};
const Rejection kNoSuchGroup{RejectionKind::NotFound, "no-such-group",
                             "a moment names groups that its author is a member of"};

std::vector<std::string> read_ids(http::FieldReader& fields, const char* name, std::size_t max) {
  auto ids = fields.optional_text_array(name, max, {26, 26});
  for (const std::string& id : ids) {
    if (!core::is_time_ordered_id(id)) fields.violate(name, "holds something that is no id");
  }
  return ids;
}

struct WantedAudience {
  Audience audience = Audience::Private;
  AudienceLists lists;
};

WantedAudience read_audience(const ApiPorts& ports, http::FieldReader& fields) {
  WantedAudience wanted;
  const std::string audience =
      fields.one_of("audience", {"public", "private", "partly-visible", "partly-invisible"});
  wanted.audience = parse_audience(audience).value_or(Audience::Private);
  wanted.lists.group_ids = read_ids(fields, "group_ids", Moment::kListedGroupsMax);
  wanted.lists.tag_ids = read_ids(fields, "tag_ids", Moment::kListedTagsMax);
  for (const std::string& user_id :
       fields.optional_text_array("user_ids", Moment::kListedUsersMax, {1, 64})) {
    if (!core::is_user_id(user_id)) {
      fields.violate("user_ids", "holds something that is no user_id");
      continue;
    }
    wanted.lists.user_ids.push_back(ports.account_ids.of(user_id));
  }
  return wanted;
}

const Rejection kNotPublic{RejectionKind::Conflict, "not-public",
                           "only what everybody may see is reposted"};

// The moment that is named; what it shows itself is found when the command runs.
std::optional<Reposted> read_repost(http::FieldReader& fields) {
  const auto text = fields.optional_text("repost_of", {1, 19});
  if (!text) return std::nullopt;
  const auto id = core::parse_moment_id(*text);
  if (!id) {
    fields.violate("repost_of", "is no id");
    return std::nullopt;
  }
  return Reposted{*id, {}};
}

NewPoll read_new_poll(http::FieldReader& fields) {
  auto described = fields.object("poll");
  NewPoll poll;
  poll.options =
      described.text_array("options", Poll::kOptionsMax, {1, Poll::kOptionCodePointsMax});
  poll.is_multiple = described.optional_boolean("multiple").value_or(false);
  const auto closes_at = core::parse_iso8601(described.text("closes_at", {1, 40}));
  if (!closes_at) described.violate("closes_at", "is no time, like 2026-01-02T03:04:05.678901Z");
  poll.closes_at = closes_at.value_or(core::Timestamp());
  return poll;
}

// All but its id, its time and what its author had seen, which come when the command runs.
PublishMoment read_draft(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  PublishMoment command;
  command.content =
      fields.optional_text("content", {1, Moment::kContentCodePointsMax}).value_or("");
  command.images = read_images(fields, Moment::kImagesMax);
  command.repost = read_repost(fields);
  if (fields.has("poll")) command.poll = read_new_poll(fields);
  if (command.content.empty() && command.images.empty() && !command.repost) {
    fields.violate("", "give content, or images, or repost_of");
  }
  auto wanted = read_audience(ports, fields);
  command.mentions = read_mentions(ports, fields);
  fields.check();
  command.audience = wanted.audience;
  command.lists = std::move(wanted.lists);
  command.author = request.account();
  return command;
}

std::optional<Rejection> refuse_lists(const ApiPorts& ports, const core::AccountId& author,
                                      const AudienceLists& lists) {
  if (!ports.reader.are_tags_of(author, lists.tag_ids)) return kNoSuchTag;
  if (!ports.reader.are_groups_of(author, lists.group_ids)) return kNoSuchGroup;
  return std::nullopt;
}

// A mistyped name would show a partly-invisible moment to whom it is to be kept from, as with tags.
// What is not known may be under way. What is known is published also while Kafka is away.
void require_known(const ApiPorts& ports, const Request& request, const AudienceLists& lists) {
  if (!lists.user_ids.empty()) {
    find_registered(ports, request, lists.user_ids);
    for (const core::AccountId& named : lists.user_ids) {
      if (ports.reader.has_blocked(named, request.account())) http::refuse(http::no_such_person());
    }
  }
  if (refuse_lists(ports, request.account(), lists)) require_fresh(ports, request);
}

// What a repost of that moment shows: what it reposts itself, or else itself. Who may see that is
// asked again whenever it is read.
Reposted find_original(const ApiPorts& ports, CommandSession& session, core::MomentId id,
                       const core::AccountId& caller) {
  const auto load = [&](core::MomentId wanted) {
    if (!ports.reader.find_author(wanted, caller)) throw eventsourcing::Rejected(kNoSuchMoment);
    const eventsourcing::EventCodec<Moment> codec(ports.cipher);
    const auto state = session.load<Moment>(keys::moment(wanted), codec).state;
    if (!state.stands()) throw eventsourcing::Rejected(kNoSuchMoment);
    return state;
  };
  auto original = load(id);
  if (original.repost) original = load(original.repost->moment);
  if (original.audience != Audience::Public) throw eventsourcing::Rejected(kNotPublic);
  return {original.id, original.author};
}

CommandResult publish(const ApiPorts& ports, CommandSession& session, PublishMoment command) {
  // Of one's own uploads alone: to know the hash of another's image is no right to it. Asked here,
  // where a repeated request does not come: it is answered as the first, whatever became of them.
  if (!command.images.empty()) {
    const auto held = core::value_of(ports.uploads.hold(command.author, command.images));
    if (!held) return kNoSuchImage;
  }
  auto addressed = command.mentions;
  if (command.repost) {
    command.repost = find_original(ports, session, command.repost->moment, command.author);
    addressed.push_back(command.repost->author);
  }
  const eventsourcing::EventCodec<Moment> codec(ports.cipher);
  command.now = session.context().now;
  command.id = ports.moment_ids.next(command.now, command.author);
  const auto stream = keys::moment(command.id);
  eventsourcing::begin<Moment>(session, stream, codec, command);
  if (const auto refused = refuse_lists(ports, command.author, command.lists)) return *refused;
  count_addressing(ports, session, command.author, addressed);
  const std::string id = core::to_string(command.id);
  const nlohmann::json body{{"id", id}, {"published_at", core::format_iso8601(command.now)}};
  return Answer{201, body.dump(), "/v1/moments/" + id, stream};
}

Response handle_publish(const ApiPorts& ports, const Request& request) {
  const auto command = read_draft(ports, request);
  require_known(ports, request, command.lists);
  require_mentionable(ports, request, command.mentions);
  if (command.repost) require_fresh(ports, request);
  return ports.commands.answer(
      request, [&](CommandSession& session) { return publish(ports, session, command); });
}

// What only its author does to a moment.
CommandResult change_own(const ApiPorts& ports, CommandSession& session, core::MomentId id,
                         const core::AccountId& by, const Moment::Command& command) {
  const auto stream = keys::moment(id);
  forbidden_as_not_found(
      [&] {
        eventsourcing::change<Moment>(session, stream,
                                      eventsourcing::EventCodec<Moment>(ports.cipher), command);
      },
      [&] { return may_know_of(ports, id, by); }, kNoSuchMoment);
  return Answer{204, "", "", stream};
}

Response handle_edit(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  // Whether it may be "" its images say.
  const std::string content = fields.text("content", {0, Moment::kContentCodePointsMax});
  fields.check();
  const core::AccountId& by = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) {
    return change_own(ports, session, *id, by, EditMoment{by, content, session.context().now});
  });
}

Response handle_audience(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const auto wanted = read_audience(ports, fields);
  fields.check();
  require_known(ports, request, wanted.lists);
  const core::AccountId& by = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const ChangeAudience change{by, wanted.audience, wanted.lists, session.context().now};
    auto changed = change_own(ports, session, *id, by, change);
    if (const auto refused = refuse_lists(ports, by, wanted.lists)) return *refused;
    return changed;
  });
}

Response handle_delete(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const core::AccountId& by = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) {
    return change_own(ports, session, *id, by, DeleteMoment{by});
  });
}

}  // namespace

void add_moment_commands(http::Router& router, const ApiPorts& ports) {
  router.add(http::Method::Post, "/v1/moments", http::Access::SignedIn,
             [ports](const Request& request) { return handle_publish(ports, request); });
  router.add(http::Method::Patch, "/v1/moments/{id}", http::Access::SignedIn,
             [ports](const Request& request) { return handle_edit(ports, request); });
  router.add(http::Method::Put, "/v1/moments/{id}/audience", http::Access::SignedIn,
             [ports](const Request& request) { return handle_audience(ports, request); });
  router.add(http::Method::Delete, "/v1/moments/{id}", http::Access::SignedIn,
             [ports](const Request& request) { return handle_delete(ports, request); });
}

}  // namespace tideline::feed
