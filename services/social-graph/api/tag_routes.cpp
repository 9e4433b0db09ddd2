// A tag is its owner's alone: every query and command here is bound to the caller, and nothing ever
// tells a tagged person of it.
#include <utility>
#include <vector>

#include "core/time_ordered_id.hpp"
#include "eventsourcing/commands/command_step.hpp"
#include "eventsourcing/events/event_codec.hpp"
#include "http/messages/json.hpp"
#include "social-graph/api/lists.hpp"
#include "social-graph/api/routes.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/rejections.hpp"
#include "social-graph/domain/tag.hpp"
#include "social-graph/domain/tagging.hpp"
#include "social-graph/projections/tag_queries.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::Answer;
using eventsourcing::change;
using eventsourcing::change_last;
using eventsourcing::CommandResult;
using eventsourcing::CommandSession;
using http::Access;
using http::Json;
using http::Method;
using http::Request;
using http::Response;
using http::WhenBehind;
using sql::PersonSince;
using sql::Place;
using sql::Slice;
using sql::Transaction;
using sql::Window;

constexpr http::Length kNameLength{1, 64};

http::Problem no_such_tag() {
  return http::problem(404, kNoSuchTag.code, "Not found", kNoSuchTag.detail);
}

std::string tag_in_path(const Request& request) {
  const std::string_view id = request.param("tag_id");
  if (!core::is_time_ordered_id(id)) http::refuse(no_such_tag());
  return std::string(id);
}

Json tag_json(const std::string& tag_id, const std::optional<std::string>& name,
              std::int64_t contact_count, core::Timestamp created_at) {
  return {{"id", tag_id},
          {"name", name ? Json(*name) : Json(nullptr)},
          {"contact_count", contact_count},
          {"created_at", core::format_iso8601(created_at)}};
}

Response create_tag(const ApiPorts& ports, const Request& request) {
  const auto body = http::value_of(http::read_json_object(request));
  http::FieldReader fields(body);
  const std::string name = fields.text("name", kNameLength);
  fields.check();
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const core::Timestamp now = session.context().now;
    const std::string tag_id = core::make_time_ordered_id(now, ports.random);
    const auto stream = keys::tag(tag_id);
    change<Tag>(session, stream, eventsourcing::EventCodec<Tag>(ports.cipher),
                CreateTag{me, tag_id, name});
    change_last<TagCount>(session, keys::tag_count(me), eventsourcing::EventCodec<TagCount>{},
                          TagCount::Add{me, kTagsMax, kTagLimit});
    return Answer{201, tag_json(tag_id, name, 0, now).dump(), "/v1/tags/" + tag_id, stream};
  });
}

Response delete_tag(const ApiPorts& ports, const Request& request) {
  const auto tag_id = tag_in_path(request);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    const auto stream = keys::tag(tag_id);
    const auto tag = change<Tag>(session, stream, eventsourcing::EventCodec<Tag>(ports.cipher),
                                 DeleteTag{me, tag_id});
    if (!tag.events.empty()) {
      change_last<TagCount>(session, keys::tag_count(me), eventsourcing::EventCodec<TagCount>{},
                            TagCount::Remove{me});
    }
    return Answer{204, "", "", stream};
  });
}

// The caller's tag must still be there when the tagging commits.
Tag::State usable_tag(const ApiPorts& ports, CommandSession& session, const std::string& tag_id,
                      const AccountId& me) {
  const auto tag =
      session.load<Tag>(keys::tag(tag_id), eventsourcing::EventCodec<Tag>(ports.cipher));
  if (auto refused = Tag::refuse_use(tag.state, me)) throw eventsourcing::Rejected(*refused);
  session.assert_unchanged(tag);
  return tag.state;
}

Response tag_contact(const ApiPorts& ports, const Request& request) {
  const auto tag_id = tag_in_path(request);
  const auto other = person_in_path(ports, request, Standing::Registered);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    usable_tag(ports, session, tag_id, me);
    const auto pair = session.load<ContactPair>(keys::contact(me, other.account),
                                                eventsourcing::EventCodec<ContactPair>{});
    session.assert_unchanged(pair);
    const bool is_contact = pair.state.phase == ContactPair::Phase::Contacts;
    const auto stream = keys::tagged(tag_id, other.account);
    change<Tagging>(session, stream, eventsourcing::EventCodec<Tagging>{},
                    TagContact{me, tag_id, other.account, is_contact});
    return Answer{200, person_json(other).dump(), "", stream};
  });
}

Response untag_contact(const ApiPorts& ports, const Request& request) {
  const auto tag_id = tag_in_path(request);
  const auto other = person_in_path(ports, request, Standing::Any);
  const AccountId& me = request.account();
  return ports.commands.answer(request, [&](CommandSession& session) -> CommandResult {
    usable_tag(ports, session, tag_id, me);
    const auto stream = keys::tagged(tag_id, other.account);
    change<Tagging>(session, stream, eventsourcing::EventCodec<Tagging>{},
                    UntagContact{me, tag_id, other.account});
    return Answer{204, "", "", stream};
  });
}

Response tags_response(const ApiPorts& ports, const AccountId& owner, std::string_view kind,
                       const Slice<ListedTag>& slice) {
  std::vector<crypto::SealedText> sealed;
  for (const ListedTag& tag : slice.items)
    sealed.push_back({owner, tag.sealed_name, eventsourcing::Stored<TagCreated>::kNameContext});
  const auto names = core::value_of(ports.cipher.open_many(sealed));
  http::Page page = cursors_of(slice, [](const ListedTag& tag) {
    return Place<std::string>{tag.since, tag.tag_id};
  });
  for (std::size_t i = 0; i < slice.items.size(); ++i) {
    const ListedTag& tag = slice.items[i];
    page.items.push_back(tag_json(tag.tag_id, names[i], tag.contact_count, tag.created_at));
  }
  return http::page_response(kind, std::move(page));
}

Response list_own_tags(const ApiPorts& ports, const Request& request) {
  const auto window = read_id_window(request, "tags");
  return answer_from_tables<Slice<ListedTag>>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> Slice<ListedTag> {
        return list_tags(transaction, request.account(), window);
      },
      [&](Slice<ListedTag> found) {
        return tags_response(ports, request.account(), "tags", found);
      });
}

Response list_tags_of_contact(const ApiPorts& ports, const Request& request) {
  const auto other = person_in_path(ports, request, Standing::Any);
  const auto window = read_id_window(request, "contact-tags");
  return answer_from_tables<Slice<ListedTag>>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> Slice<ListedTag> {
        return list_tags_on(transaction, request.account(), other.account, window);
      },
      [&](Slice<ListedTag> found) {
        return tags_response(ports, request.account(), "contact-tags", found);
      });
}

Response get_tag(const ApiPorts& ports, const Request& request) {
  const auto tag_id = tag_in_path(request);
  return answer_from_tables<ListedTag>(
      ports, request, WhenBehind::Stale,
      [&](Transaction& transaction) -> ListedTag {
        auto tag = find_tag(transaction, request.account(), tag_id);
        if (!tag) http::refuse(no_such_tag());
        return std::move(*tag);
      },
      [&](ListedTag tag) {
        const auto name = core::value_of(ports.cipher.open(
            request.account(), tag.sealed_name, eventsourcing::Stored<TagCreated>::kNameContext));
        return Response::json(200, tag_json(tag.tag_id, name, tag.contact_count, tag.created_at))
            .header("ETag", http::entity_tag(tag.version));
      });
}

Response list_tagged_contacts(const ApiPorts& ports, const Request& request) {
  const auto tag_id = tag_in_path(request);
  return answer_people(
      ports, request, "tagged", WhenBehind::Stale,
      [&](Transaction& transaction, const Window<AccountId>& window) -> Slice<PersonSince> {
        if (!find_tag(transaction, request.account(), tag_id)) http::refuse(no_such_tag());
        return list_tagged(transaction, request.account(), tag_id, window);
      });
}

}  // namespace

void add_tag_routes(http::Router& router, const ApiPorts& ports) {
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Post, "/v1/tags", Access::SignedIn, with(create_tag));
  router.add(Method::Get, "/v1/tags", Access::SignedIn, with(list_own_tags));
  router.add(Method::Get, "/v1/tags/{tag_id}", Access::SignedIn, with(get_tag));
  router.add(Method::Delete, "/v1/tags/{tag_id}", Access::SignedIn, with(delete_tag));
  router.add(Method::Get, "/v1/tags/{tag_id}/contacts", Access::SignedIn,
             with(list_tagged_contacts));
  router.add(Method::Put, "/v1/tags/{tag_id}/contacts/{user_id}", Access::SignedIn,
             with(tag_contact));
  router.add(Method::Delete, "/v1/tags/{tag_id}/contacts/{user_id}", Access::SignedIn,
             with(untag_contact));
  router.add(Method::Get, "/v1/contacts/{user_id}/tags", Access::SignedIn,
             with(list_tags_of_contact));
}

}  // namespace tideline::social_graph
