// GET /v1/moments/{id}/likes, /comments, /history
#include <algorithm>

#include "feed/api/moderation/case_items.hpp"
#include "feed/api/moments/moment_items.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/routes.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/interaction_queries.hpp"
#include "feed/stored_events.hpp"
#include "http/messages/cursor.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using http::Response;
using sql::PersonSince;
using sql::Slice;
using sql::Transaction;

constexpr std::string_view kLikesCursor = "likes";
constexpr std::string_view kCommentsCursor = "comments";
constexpr std::string_view kHistoryCursor = "history";

struct Likes {
  Slice<PersonSince> page;
  PeopleByAccount people;
};

Response likes_page(const ApiPorts& ports, core::MomentId moment,
                    const std::vector<core::AccountId>& likers,
                    const sql::Window<core::AccountId>& window) {
  const auto likes = core::value_of(ports.database.read([&](Transaction& transaction) {
    Likes found{list_likes(transaction, moment, likers, window), {}};
    std::vector<core::AccountId> accounts;
    for (const PersonSince& like : found.page.items) accounts.push_back(like.account);
    found.people = ports.people.find_many(transaction, accounts);
    return found;
  }));
  const auto& items = likes.page.items;
  const auto place = [](const PersonSince& like) {
    return sql::place_text(sql::Place<core::AccountId>{like.since, like.account});
  };
  http::Page page;
  for (const PersonSince& like : items) {
    page.items.push_back({{"person", person_json(likes.people, like.account)},
                          {"liked_at", core::format_iso8601(like.since)}});
  }
  if (likes.page.more_before) page.before = place(items.front());
  if (likes.page.more_after) page.after = place(items.back());
  return http::page_response(kLikesCursor, std::move(page));
}

Response handle_likes(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const auto wanted =
      http::value_of(http::read_page(request, kLikesCursor, sql::parse_account_place));
  return answer_private(ports, request, ports.tables_applied, [&] {
    const auto likers = ports.reader.likers_of(*id, request.account());
    if (!likers) return to_response(http::not_found());
    return likes_page(ports, *id, *likers, {wanted.before, wanted.after, wanted.limit});
  });
}

struct Comments {
  std::map<core::CommentId, CommentRow> rows;
  PeopleByAccount people;
};

// Who is not known (yet, or any more) is left out.
Json mentions_json(const Comments& found, const CommentRow& row) {
  Json mentions = Json::array();
  for (const core::AccountId& mentioned : row.mentions) {
    if (found.people.contains(mentioned)) {
      mentions.push_back(person_json(found.people, mentioned));
    }
  }
  return mentions;
}

Json comment_items(const ApiPorts& ports, const Request& request, core::MomentId moment,
                   const std::vector<CommentEntry>& entries) {
  std::vector<core::CommentId> ids;
  std::vector<core::AccountId> authors;
  for (const CommentEntry& entry : entries) {
    ids.push_back(entry.id);
    authors.push_back(entry.author);
  }
  // The engine may have applied comments that the table has not got yet.
  const auto recent = ports.contents.find_sealed_comments(ids);
  std::erase_if(ids, [&](core::CommentId id) { return recent.contains(id); });
  const auto found = core::value_of(read_up_to_engine(
      ports, request, ports.tables_applied,
      [&](Transaction& transaction) {
        Comments read{recent, {}};
        read.rows.merge(find_comments(transaction, moment, ids));
        auto named = authors;
        for (const auto& [id, row] : read.rows) {
          named.insert(named.end(), row.mentions.begin(), row.mentions.end());
        }
        read.people = ports.people.find_many(transaction, named);
        return read;
      },
      [&](const Comments& read) { return read.rows.size() == entries.size(); }));

  std::vector<Subject> hidden;
  std::vector<const CommentEntry*> shown;
  std::vector<crypto::SealedText> texts;
  for (const CommentEntry& entry : entries) {
    const CommentRow& row = found.rows.at(entry.id);
    if (!row.sealed_text) continue;
    shown.push_back(&entry);
    if (entry.hidden) hidden.push_back({moment, entry.id});
    texts.push_back(
        {entry.author, *row.sealed_text, eventsourcing::Stored<CommentAdded>::kTextContext});
  }
  const auto opened = core::value_of(ports.cipher.open_many(texts));
  const auto hidings = read_hidings(ports, hidden);
  auto hiding = hidings.begin();
  Json items = Json::array();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const CommentEntry& entry = *shown[i];
    Json item{{"id", core::to_string(entry.id)},
              {"parent_id", nullptr},
              {"author", person_json(found.people, entry.author)},
              {"text", nullptr},
              {"mentions", mentions_json(found, found.rows.at(entry.id))},
              {"hidden", nullptr},
              {"written_at", core::format_iso8601(found.rows.at(entry.id).written_at)}};
    if (entry.parent) item["parent_id"] = core::to_string(*entry.parent);
    if (entry.hidden) item["hidden"] = (hiding++)->second;
    if (opened[i]) item["text"] = *opened[i];
    items.push_back(std::move(item));
  }
  return items;
}

Response handle_comments(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  const auto wanted =
      http::value_of(http::read_page(request, kCommentsCursor, core::parse_comment_id));
  return answer_private(ports, request, ports.engine_applied, [&]() -> Response {
    const auto comments =
        ports.reader.comments_of(*id, request.account(), {wanted.before, wanted.after},
                                 static_cast<std::size_t>(wanted.limit));
    if (!comments) return to_response(http::not_found());
    auto items = comment_items(ports, request, *id, comments->items);
    http::Page page;
    page.items = std::move(items);
    if (comments->more_before) page.before = core::to_string(comments->items.front().id);
    if (comments->more_after) page.after = core::to_string(comments->items.back().id);
    return http::page_response(kCommentsCursor, std::move(page));
  });
}

// As many as a page holds at most.
Response handle_history(const ApiPorts& ports, const Request& request) {
  const auto id = core::parse_moment_id(request.param("id"));
  if (!id) return to_response(http::not_found());
  return answer_private(ports, request, ports.engine_applied, [&]() -> Response {
    const auto moment = ports.reader.find_visible(*id, request.account());
    if (!moment) return to_response(http::not_found());
    auto texts = moment_texts(ports, request, *moment);
    if (texts.empty()) return to_response(http::not_found());
    http::Page page;
    page.items = std::move(texts);
    return http::page_response(kHistoryCursor, std::move(page));
  });
}

}  // namespace

void add_interaction_queries(http::Router& router, const ApiPorts& ports) {
  using http::Access;
  using http::Method;
  const auto with = [&](Response (*handle)(const ApiPorts&, const Request&)) {
    return [ports, handle](const Request& request) { return handle(ports, request); };
  };
  router.add(Method::Get, "/v1/moments/{id}/likes", Access::SignedIn, with(handle_likes));
  router.add(Method::Get, "/v1/moments/{id}/comments", Access::SignedIn, with(handle_comments));
  router.add(Method::Get, "/v1/moments/{id}/history", Access::SignedIn, with(handle_history));
}

}  // namespace tideline::feed
