#include <hiredis/hiredis.h>

#include <array>
#include <cstring>
#include <memory>
#include <sstream>

#include "bench/feed_database.hpp"
#include "bench/feed_server.hpp"
#include "http/messages/json.hpp"

namespace tideline::bench {
namespace {

using http::Request;
using http::Response;

// Peers know people by their numbers.
core::AccountId numbered(std::uint32_t person) {
  core::AccountId::Bytes bytes{};
  std::memcpy(bytes.data(), &person, sizeof person);
  return core::AccountId(bytes);
}
std::uint32_t number_of(const core::AccountId& account) {
  std::uint32_t person = 0;
  std::memcpy(&person, account.bytes().data(), sizeof person);
  return person;
}

http::Router router_of_peer(const core::Clock& clock) {
  return http::Router(std::make_shared<NumberVerifier>(numbered), clock);
}

std::string page_of(const std::vector<std::string>& items) {
  std::string page = R"({"after":null,"before":null,"items":[)";
  for (const std::string& item : items) {
    if (page.back() == '}') page += ',';
    page += item;
  }
  return page + "]}";
}

// The design's sentence. The newest 20 of each author, by its index, are enough to find the newest
// 20 of all; what is shown of them is read afterwards.
constexpr const char* kTimelineSql = R"(
WITH author AS (
  SELECT $1::int AS id, true AS is_near
  UNION ALL
  SELECT c.other, true FROM contact AS c WHERE c.one = $1
    AND NOT EXISTS (SELECT FROM setting AS s WHERE s.owner = $1 AND s.other = c.other AND s.hides)
    AND NOT EXISTS (SELECT FROM setting AS s
                    WHERE s.owner = c.other AND s.other = $1 AND s.hidden_from)
  UNION ALL
  SELECT f.followee, false FROM follow AS f WHERE f.follower = $1
    AND NOT EXISTS (SELECT FROM contact AS c WHERE c.one = $1 AND c.other = f.followee)
    AND NOT EXISTS (SELECT FROM setting AS s WHERE s.owner = $1 AND s.other = f.followee AND s.hides)
    AND NOT EXISTS (SELECT FROM setting AS s
                    WHERE s.owner = f.followee AND s.other = $1 AND s.hidden_from)
), newest AS (
  SELECT n.id FROM author AS a CROSS JOIN LATERAL (
    SELECT m.id FROM moment AS m WHERE m.author = a.id AND (m.audience = 'public' OR a.id = $1)
    ORDER BY m.id DESC LIMIT 20) AS n
  WHERE NOT EXISTS (SELECT FROM closed WHERE closed.person = a.id)
  ORDER BY n.id DESC LIMIT 20
)
SELECT m.id, m.author, m.content, m.published_at
FROM newest JOIN moment AS m USING (id) ORDER BY m.id DESC)";

constexpr const char* kAuthorSql = R"(
SELECT m.id, m.author, m.content, m.published_at FROM moment AS m
WHERE m.author = $1::int AND (m.audience = 'public' OR m.author = $2::int)
  AND NOT EXISTS (SELECT FROM closed WHERE closed.person = $1)
  AND NOT EXISTS (SELECT FROM setting AS s WHERE s.owner = $1 AND s.other = $2 AND s.hidden_from)
ORDER BY m.id DESC LIMIT 20)";

// As an application would write it that has nothing but PostgreSQL; one more of kSearchedWord for
// each word. A list of excluded people would be asked here, too.
constexpr const char* kSearchSql = R"(
SELECT m.id, m.author, m.content, m.published_at FROM moment AS m
WHERE (m.audience = 'public' OR m.author = $1::int
       OR (m.audience = 'partly-invisible'
           AND m.author IN (SELECT c.other FROM contact AS c WHERE c.one = $1))))";
constexpr const char* kSearchedWord = " AND m.content ILIKE $";
constexpr const char* kNewestFound = " ORDER BY m.id DESC LIMIT 20";

class Query {
 public:
  explicit Query(const std::string& conninfo) : database_(plain_database(conninfo)) {}

  std::string read(std::string_view sql, const sql::Params& params) {
    std::vector<std::string> items;
    for (const auto& row : must(database_.query(sql, params))) {
      items.push_back(
          item_of({static_cast<std::uint64_t>(row.integer(0)),
                   static_cast<std::uint32_t>(row.integer(1)), row.text(2), row.text(3)}));
    }
    return page_of(items);
  }
  std::string timeline(std::uint32_t viewer) { return read(kTimelineSql, {viewer}); }
  std::string search(std::uint32_t viewer, const std::string& words) {
    std::string sql = kSearchSql;
    sql::Params params{viewer};
    std::istringstream each(words);
    for (std::string word; each >> word;) {
      params.emplace_back('%' + word + '%');
      sql.append(kSearchedWord).append(std::to_string(params.size()));
    }
    return read(sql + kNewestFound, params);
  }

  std::string publish(std::uint32_t author, const std::string& content) {
    const auto now = clock_.now();
    const auto id = ids_.next(now, numbered(author));
    must(database_.transact([&](sql::Transaction& transaction) {
      transaction.execute(
          "INSERT INTO moment (id, author, audience, content, published_at)"
          " VALUES ($1::bigint, $2::int, 'public', $3, $4)",
          {id, author, content, core::format_iso8601(now)});
    }));
    return R"({"id":")" + core::to_string(id) + "\"}";
  }

  const core::Clock& clock() const { return clock_; }

 private:
  core::SystemClock clock_;
  core::SystemRandom random_;
  core::MomentIdSource ids_{random_};
  postgres::PooledDatabase database_;
};

// One connection a thread.
redisContext& connection(const std::string& socket) {
  thread_local const std::unique_ptr<redisContext, decltype(&redisFree)> redis(
      redisConnectUnix(socket.c_str()), redisFree);
  if (!redis || redis->err != 0) std::exit(failed("no Redis at " + socket));
  return *redis;
}

using Reply = std::unique_ptr<redisReply, decltype(&freeReplyObject)>;

std::string text(const redisReply& reply) { return {reply.str, reply.len}; }

std::string redis_timeline(const std::string& socket, std::uint32_t viewer) {
  redisContext& redis = connection(socket);
  const Reply ids(static_cast<redisReply*>(redisCommand(&redis, "LRANGE t:%u 0 19", viewer)),
                  freeReplyObject);
  if (!ids || ids->type != REDIS_REPLY_ARRAY) std::exit(failed("Redis does not answer"));
  std::vector<std::string> keys = {"MGET"};
  for (std::size_t i = 0; i < ids->elements; ++i) keys.push_back("m:" + text(*ids->element[i]));
  if (keys.size() == 1) return page_of({});
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const std::string& key : keys) {
    words.push_back(key.data());
    sizes.push_back(key.size());
  }
  const Reply moments(static_cast<redisReply*>(redisCommandArgv(
                          &redis, static_cast<int>(words.size()), words.data(), sizes.data())),
                      freeReplyObject);
  if (!moments || moments->type != REDIS_REPLY_ARRAY) std::exit(failed("Redis does not answer"));
  std::vector<std::string> items;
  for (std::size_t i = 0; i < moments->elements; ++i) items.push_back(text(*moments->element[i]));
  return page_of(items);
}

Response json(int status, std::string body) {
  return Response::text(status, "application/json", std::move(body));
}

}  // namespace

int serve_query(const std::string& database, std::uint32_t people, std::uint32_t asked) {
  using http::Access;
  using http::Method;
  Query query(database);
  http::Router router = router_of_peer(query.clock());
  router.add(Method::Get, "/v1/timeline", Access::SignedIn, [&](const Request& request) {
    return json(200, query.timeline(number_of(request.account())));
  });
  router.add(Method::Get, "/v1/moments", Access::SignedIn, [&](const Request& request) {
    const std::string author(request.query("author").value_or(""));
    return json(200, query.read(kAuthorSql, {author, number_of(request.account())}));
  });
  router.add(Method::Get, "/v1/moments/search", Access::SignedIn, [&](const Request& request) {
    const std::string words(request.query("query").value_or(""));
    return json(200, query.search(number_of(request.account()), words));
  });
  router.add(Method::Post, "/v1/moments", Access::SignedIn, [&](const Request& request) {
    const auto body = http::Json::parse(request.body);
    return json(201, query.publish(number_of(request.account()), body.at("content")));
  });
  add_alone(router, Shuffled(people), asked,
            [&](std::uint32_t viewer) { return query.timeline(viewer); });
  return serve_feed(router, query.clock());
}

int serve_redis(const std::string& socket, std::uint32_t people, std::uint32_t asked) {
  core::SystemClock clock;
  http::Router router = router_of_peer(clock);
  router.add(http::Method::Get, "/v1/timeline", http::Access::SignedIn,
             [&](const Request& request) {
               return json(200, redis_timeline(socket, number_of(request.account())));
             });
  add_alone(router, Shuffled(people), asked,
            [&](std::uint32_t viewer) { return redis_timeline(socket, viewer); });
  return serve_feed(router, clock);
}

}  // namespace tideline::bench
