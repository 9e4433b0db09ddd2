// POST /v1/moments, PATCH and DELETE /v1/moments/{id}
#include "core/text.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
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

const Rejection kNoSuchImage{RejectionKind::Invalid, "no-such-image",
                             "upload an image before you publish it"};

// A mistyped tag in the lists of a partly-invisible moment would show it to whom it is to be kept
// from; and what names nothing would take memory all the same.
const Rejection kNoSuchTag{RejectionKind::NotFound, "no-such-tag",
                           "a moment names tags of its author's own"};
const Rejection kNoSuchGroup{RejectionKind::NotFound, "no-such-group",
                             "a moment names groups that its author is a member of"};

constexpr std::size_t kHashLength = 64;

std::vector<std::string> read_ids(http::FieldReader& fields, const char* name, std::size_t max) {
  auto ids = fields.optional_text_array(name, max, {26, 26});
  for (const std::string& id : ids) {
    if (!core::is_time_ordered_id(id)) fields.violate(name, "holds something that is no id");
  }
  return ids;
}

std::vector<std::string> read_images(http::FieldReader& fields) {
  auto images =
      fields.optional_text_array("images", Moment::kImagesMax, {kHashLength, kHashLength});
  for (const std::string& image : images) {
    if (!uploads::is_content_hash(image)) {
      fields.violate("images", "holds something that is no content hash");
    }
  }
  return images;
}

// All but its id, its time and what its author had seen, which come when the command runs.
PublishMoment read_draft(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  PublishMoment command;
  command.content = fields.text("content", {1, Moment::kContentCodePointsMax});
  command.images = read_images(fields);
  const std::string audience =
      fields.one_of("audience", {"public", "private", "partly-visible", "partly-invisible"});
  command.lists.group_ids = read_ids(fields, "group_ids", Moment::kListedGroupsMax);
  command.lists.tag_ids = read_ids(fields, "tag_ids", Moment::kListedTagsMax);
  for (const std::string& user_id :
       fields.optional_text_array("user_ids", Moment::kListedUsersMax, {1, 64})) {
    if (!core::is_user_id(user_id))
      fields.violate("user_ids", "holds something that is no user_id");
    command.lists.user_ids.push_back(ports.account_ids.of(user_id));
  }
  fields.check();
  command.audience = *parse_audience(audience);
  command.author = request.account();
  return command;
}

std::optional<Rejection> refuse_lists(const ApiPorts& ports, const PublishMoment& command) {
  const AudienceLists& lists = command.lists;
  if (!ports.reader.are_tags_of(command.author, lists.tag_ids)) return kNoSuchTag;
  if (!ports.reader.are_groups_of(command.author, lists.group_ids)) return kNoSuchGroup;
  return std::nullopt;
}

CommandResult publish(const ApiPorts& ports, CommandSession& session, PublishMoment command) {
  // Of one's own uploads alone: to know the hash of another's image is no right to it. Asked here,
  // where a repeated request does not come: it is answered as the first, whatever became of them.
  if (!command.images.empty()) {
    const auto held = core::value_of(ports.uploads.hold(command.author, command.images));
    if (!held) return kNoSuchImage;
  }
  const eventsourcing::EventCodec<Moment> codec(ports.cipher);
  command.now = session.context().now;
  command.id = ports.moment_ids.next(command.now, command.author);
  const auto stream = keys::moment(command.id);
  eventsourcing::begin<Moment>(session, stream, codec, command);
  if (const auto refused = refuse_lists(ports, command)) return *refused;
  const std::string id = core::to_string(command.id);
  const nlohmann::json body{{"id", id}, {"published_at", core::format_iso8601(command.now)}};
  return Answer{201, body.dump(), "/v1/moments/" + id, stream};
}

Response handle_publish(const ApiPorts& ports, const Request& request) {
  const auto command = read_draft(ports, request);
  // For the same reason as with tags.
  if (!command.lists.user_ids.empty()) {
    find_registered(ports, request, command.lists.user_ids);
    for (const core::AccountId& named : command.lists.user_ids) {
      if (ports.reader.has_blocked(named, request.account())) http::refuse(http::no_such_person());
    }
  }
  // What is not known may be under way. What is known is published also while Kafka is away.
  if (refuse_lists(ports, command)) require_fresh(ports, request);
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
  const std::string content = fields.text("content", {1, Moment::kContentCodePointsMax});
  fields.check();
  const core::AccountId& by = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) {
    return change_own(ports, session, *id, by, EditMoment{by, content, session.context().now});
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
  router.add(http::Method::Delete, "/v1/moments/{id}", http::Access::SignedIn,
             [ports](const Request& request) { return handle_delete(ports, request); });
}

}  // namespace tideline::feed
