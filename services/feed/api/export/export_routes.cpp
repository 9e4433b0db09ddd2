// GET /v1/feed-export: what the caller has written, liked and kept here, section by section. A
// bookmark or a like names its moment by id alone, for the moment is another's.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "feed/api/messages/message_items.hpp"
#include "feed/api/routes.hpp"
#include "feed/domain/poll.hpp"
#include "feed/projections/bookmark_queries.hpp"
#include "feed/projections/poll_queries.hpp"
#include "feed/projections/written_queries.hpp"
#include "feed/stored_events.hpp"
#include "http/routing/data_export.hpp"
#include "people/person_json.hpp"

namespace tideline::feed {
namespace {

using core::AccountId;
using eventsourcing::Stored;
using http::ExportSlice;
using http::Json;
using sql::Transaction;

// "" is the place ahead of all moments.
core::MomentId parse_export_moment(const std::string& text) {
  if (text.empty()) return core::MomentId(0);
  const auto id = core::parse_moment_id(text);
  if (!id) http::refuse_export_place();
  return *id;
}

// user_id or null, by account.
Json user_ids_of(const ApiPorts& ports, const std::vector<AccountId>& listed) {
  const auto people = core::value_of(ports.database.read_each_alone(
      [&](Transaction& transaction) { return ports.people.find_many(transaction, listed); }));
  Json users = Json::object();
  for (const AccountId& account : listed) {
    users[account.to_string()] = people::person_json(people, account)["user_id"];
  }
  return users;
}

// The user_ids of those who are known.
Json known_of(const Json& users, const std::vector<AccountId>& accounts) {
  Json known = Json::array();
  for (const AccountId& account : accounts) {
    if (users[account.to_string()].is_string()) known.push_back(users[account.to_string()]);
  }
  return known;
}

// By moment: the options of their author's polls, and when these close.
std::map<core::MomentId, Json> polls_of(const ApiPorts& ports,
                                        const std::vector<WrittenMoment>& moments) {
  std::vector<core::MomentId> ids;
  for (const auto& written : moments) {
    if (written.moment.has_poll) ids.push_back(written.moment.id);
  }
  const auto rows = core::value_of(
      ports.database.read([&](Transaction& transaction) { return find_polls(transaction, ids); }));
  std::map<core::MomentId, Json> polls;
  for (const auto& [id, row] : rows) {
    const auto opened = core::value_of(ports.cipher.open_many(std::vector<crypto::SealedText>{
        {row.author, row.sealed_options, Stored<PollOpened>::kOptionsContext}}));
    polls[id] = {{"options", opened.front() ? Json(split_options(*opened.front())) : Json()},
                 {"multiple", row.is_multiple},
                 {"closes_at", core::format_iso8601(row.closes_at)}};
  }
  return polls;
}

Json moment_export(const ApiPorts& ports, const WrittenMoment& written, const Json& users,
                   Json texts) {
  const MomentRow& moment = written.moment;
  const std::string id = core::to_string(moment.id);
  Json links = Json::array();
  for (const std::string& hash : moment.images) {
    links.push_back(ports.links.to("/v1/moments/" + id + "/images/" + hash, moment.author));
  }
  return {{"id", id},
          {"published_at", core::format_iso8601(moment.published_at)},
          {"texts", std::move(texts)},
          {"images", moment.images},
          {"image_links", std::move(links)},
          {"audience", to_string(moment.audience)},
          {"group_ids", moment.lists.group_ids},
          {"tag_ids", moment.lists.tag_ids},
          {"user_ids", known_of(users, moment.lists.user_ids)},
          {"mentions", known_of(users, moment.mentions)},
          {"repost_of", moment.repost_of ? Json(core::to_string(*moment.repost_of)) : Json()}};
}

// The first text and those of the edits, in their order.
ExportSlice read_moments(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                         int limit) {
  const auto after = parse_export_moment(place);
  const auto moments = core::value_of(ports.database.read(
      [&](Transaction& transaction) { return list_moments_by(transaction, owner, after, limit); }));
  std::vector<AccountId> named;
  for (const auto& [moment, edits] : moments) {
    named.insert(named.end(), moment.lists.user_ids.begin(), moment.lists.user_ids.end());
    named.insert(named.end(), moment.mentions.begin(), moment.mentions.end());
  }
  const Json users = user_ids_of(ports, named);
  std::vector<crypto::SealedText> sealed;
  for (const auto& [moment, edits] : moments) {
    sealed.push_back({owner, *moment.sealed_content, Stored<MomentPublished>::kContentContext});
    for (const auto& edit : edits) {
      sealed.push_back({owner, edit.sealed_content, Stored<MomentEdited>::kContentContext});
    }
  }
  const auto polls = polls_of(ports, moments);
  const auto opened = core::value_of(ports.cipher.open_many(sealed));
  auto text = opened.begin();
  ExportSlice exported;
  for (const auto& written : moments) {
    Json texts = Json::array();
    for (std::size_t edit = 0; edit <= written.edits.size(); ++edit, ++text) {
      const auto at = edit == 0 ? written.moment.published_at : written.edits[edit - 1].edited_at;
      texts.push_back({{"content", *text ? Json(**text) : Json(nullptr)},
                       {"written_at", core::format_iso8601(at)}});
    }
    Json item = moment_export(ports, written, users, std::move(texts));
    const auto poll = polls.find(written.moment.id);
    item["poll"] = poll == polls.end() ? Json() : poll->second;
    exported.items.push_back(std::move(item));
  }
  if (std::ssize(moments) == limit) exported.next = core::to_string(moments.back().moment.id);
  return exported;
}

// The place is "<moment>/<comment>".
ExportSlice read_comments(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                          int limit) {
  CommentPlace after{core::MomentId(0), core::CommentId(0)};
  if (!place.empty()) {
    const auto slash = place.find('/');
    const auto id =
        slash == std::string::npos ? std::nullopt : core::parse_comment_id(place.substr(slash + 1));
    if (!id) http::refuse_export_place();
    after = {parse_export_moment(place.substr(0, slash)), *id};
  }
  const auto comments = core::value_of(ports.database.read([&](Transaction& transaction) {
    return list_comments_by(transaction, owner, after, limit);
  }));
  std::vector<crypto::SealedText> sealed;
  std::vector<AccountId> named;
  for (const auto& comment : comments) {
    named.insert(named.end(), comment.mentions.begin(), comment.mentions.end());
    sealed.push_back({owner, comment.sealed_text, Stored<CommentAdded>::kTextContext});
  }
  const auto texts = core::value_of(ports.cipher.open_many(sealed));
  const Json users = user_ids_of(ports, named);
  ExportSlice exported;
  for (std::size_t i = 0; i < comments.size(); ++i) {
    exported.items.push_back({{"moment_id", core::to_string(comments[i].moment)},
                              {"id", core::to_string(comments[i].id)},
                              {"text", texts[i] ? Json(*texts[i]) : Json(nullptr)},
                              {"mentions", known_of(users, comments[i].mentions)},
                              {"written_at", core::format_iso8601(comments[i].written_at)}});
  }
  if (std::ssize(comments) == limit) {
    exported.next =
        core::to_string(comments.back().moment) + "/" + core::to_string(comments.back().id);
  }
  return exported;
}

ExportSlice read_likes(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                       int limit) {
  const auto after = parse_export_moment(place);
  const auto likes = core::value_of(ports.database.read(
      [&](Transaction& transaction) { return list_likes_by(transaction, owner, after, limit); }));
  ExportSlice exported;
  for (const GivenLike& like : likes) {
    exported.items.push_back({{"moment_id", core::to_string(like.moment)},
                              {"liked_at", core::format_iso8601(like.liked_at)}});
  }
  if (std::ssize(likes) == limit) exported.next = core::to_string(likes.back().moment);
  return exported;
}

// Of an option the number, from 1.
ExportSlice read_poll_votes(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                            int limit) {
  const auto after = parse_export_moment(place);
  const auto votes = core::value_of(ports.database.read([&](Transaction& transaction) {
    return list_poll_votes_by(transaction, owner, after, limit);
  }));
  ExportSlice exported;
  for (const GivenPollVote& vote : votes) {
    Json choices = Json::array();
    for (std::size_t option = 0; option < Poll::kOptionsMax; ++option) {
      if ((vote.choices >> option & 1U) != 0) choices.push_back(std::to_string(option + 1));
    }
    exported.items.push_back({{"moment_id", core::to_string(vote.moment)},
                              {"choices", std::move(choices)},
                              {"voted_at", core::format_iso8601(vote.voted_at)}});
  }
  if (std::ssize(votes) == limit) exported.next = core::to_string(votes.back().moment);
  return exported;
}

ExportSlice read_bookmarks(const ApiPorts& ports, const AccountId& owner, const std::string& place,
                           int limit) {
  std::optional<BookmarkRow> behind;
  if (!place.empty() && !(behind = parse_bookmark_place(place))) http::refuse_export_place();
  const auto bookmarks = core::value_of(ports.database.read([&](Transaction& transaction) {
    return list_bookmarks(transaction, owner, behind, static_cast<std::size_t>(limit));
  }));
  ExportSlice exported;
  for (const BookmarkRow& bookmark : bookmarks) {
    exported.items.push_back({{"moment_id", core::to_string(bookmark.moment)},
                              {"bookmarked_at", core::format_iso8601(bookmark.bookmarked_at)}});
  }
  if (std::ssize(bookmarks) == limit) exported.next = to_string(bookmarks.back());
  return exported;
}

ExportSlice read_messages_sent(const ApiPorts& ports, const AccountId& owner,
                               const std::string& place, int limit) {
  const auto after = place.empty() ? std::optional(core::Timestamp{}) : core::parse_iso8601(place);
  if (!after) http::refuse_export_place();
  const auto messages = core::value_of(ports.database.read([&](Transaction& transaction) {
    return list_messages_by(transaction, owner, *after, limit);
  }));
  ExportSlice exported;
  for (Json& item : message_items(ports, owner, messages)) {
    exported.items.push_back(std::move(item));
  }
  if (std::ssize(messages) == limit) {
    exported.next = core::format_iso8601(messages.back().key.sent_at);
  }
  return exported;
}

ExportSlice read_message_settings(const ApiPorts& ports, const AccountId& owner, const std::string&,
                                  int) {
  const bool contacts_only = core::value_of(ports.database.read(
      [&](Transaction& transaction) { return takes_contacts_only(transaction, owner); }));
  return {{Json{{"contacts_only", contacts_only}}}, std::nullopt};
}

}  // namespace

void add_export_routes(http::Router& router, const ApiPorts& ports) {
  using Read = ExportSlice (*)(const ApiPorts&, const AccountId&, const std::string&, int);
  const auto section = [&](std::string name, Read read) {
    return http::ExportSection{
        std::move(name), [ports, read](const AccountId& owner, const std::string& place,
                                       int limit) { return read(ports, owner, place, limit); }};
  };
  const auto exported = std::make_shared<http::DataExport>(
      ports.clock,
      std::vector{section("moments", read_moments), section("comments", read_comments),
                  section("likes", read_likes), section("poll_votes", read_poll_votes),
                  section("bookmarks", read_bookmarks), section("messages", read_messages_sent),
                  section("message_settings", read_message_settings)});
  router.add(http::Method::Get, "/v1/feed-export", http::Access::SignedIn,
             [ports, exported](const http::Request& request) {
               return http::answer_query(request, {ports.people_applied, ports.tables_applied},
                                         http::WhenBehind::Stale,
                                         [&] { return exported->page(request); });
             });
}

}  // namespace tideline::feed
