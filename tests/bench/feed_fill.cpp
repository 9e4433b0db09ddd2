#include "bench/feed_fill.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "bench/feed_database.hpp"
#include "bench/first_moments.hpp"
#include "core/encoding.hpp"
#include "crypto/subject_cipher.hpp"
#include "feed/projections/search/search_projection.hpp"
#include "feed/stored_events.hpp"
#include "postgres/store/subject_keys.hpp"

namespace tideline::bench {
namespace {

using sql::Params;

constexpr std::size_t kRowsAtOnce = 20'000;

// Rows of one table, in batches.
class Copy {
 public:
  Copy(postgres::PooledDatabase& database, std::string table, std::vector<std::string> columns)
      : database_(database), table_(std::move(table)), columns_(std::move(columns)) {}

  void add(Params row) {
    rows_.push_back(std::move(row));
    if (rows_.size() == kRowsAtOnce) write();
  }
  void write() {
    must(database_.transact(
        [&](sql::Transaction& transaction) { transaction.copy_in(table_, columns_, rows_); }));
    rows_.clear();
  }

 private:
  postgres::PooledDatabase& database_;
  const std::string table_;
  const std::vector<std::string> columns_;
  std::vector<Params> rows_;
};

void run(postgres::PooledDatabase& database, std::initializer_list<const char*> statements) {
  must(database.transact([&](sql::Transaction& transaction) {
    for (const char* statement : statements) transaction.execute(statement);
  }));
}

void fill_service(const FeedOptions& options, const Shuffled& order, const FirstMoments& moments) {
  postgres::PooledDatabase database(feed_database(options.database));
  core::SystemClock clock;
  crypto::InMemorySubjectKeys keys;
  crypto::SubjectCipher cipher(keys, clock, {.cached_keys_max = 1});
  Copy key(database, "subject_key", {"subject", "key"});
  Copy person(database, "person", {"account_id", "closed"});
  Copy profile(database, "person_profile",
               {"account_id", "version", "user_id", "real_name", "department", "closed"});
  Copy moment(database, "moment",
              {"author_partition", "id", "author", "audience", "lists", "content", "images",
               "published_at", "deleted"});
  for (std::uint32_t place = 0; place < order.people(); ++place) {
    const std::uint32_t number = order.at(place);
    const core::AccountId account = account_of(number);
    key.add({account, "\\x" + core::to_hex(must(keys.get_or_create(account)))});
    person.add({account, false});
    profile.add({account, 1, std::to_string(number), name_of(number), "", false});
  }
  for (std::uint32_t place = 0; place < moments.count; ++place) {
    const CorpusMoment first = moments.at(place);
    const core::AccountId account = account_of(first.author);
    moment.add({static_cast<int>(core::author_partition(first.id)), first.id, account,
                to_string(first.audience), R"({"group_ids":[],"tag_ids":[],"user_ids":[]})",
                must(cipher.seal(account, first.text,
                                 eventsourcing::Stored<feed::MomentPublished>::kContentContext)),
                "[]", first.published_at, false});
  }
  for (Copy* copy : {&key, &person, &profile, &moment}) copy->write();
  run(database, {"ANALYZE"});
}

// As the service does with what has come from Kafka, but that nobody waits for Kafka: the seconds
// from sealed events to committed rows.
double fill_search(const FeedOptions& options, const FirstMoments& moments) {
  using SteadyClock = std::chrono::steady_clock;
  postgres::PooledDatabase database(feed_database(options.database));
  core::SystemClock clock;
  crypto::NoKeyWrap wrap;
  postgres::PostgresSubjectKeys keys(database, wrap);
  crypto::SubjectCipher cipher(
      keys, clock, {.indexed_by = crypto::AccountIds(crypto::AccountIds::Secret{1, 2, 3})});
  feed::SearchProjection search(cipher);
  const std::size_t events_at_once = search.flush_policy().events;
  SteadyClock::duration took{};
  for (std::uint32_t place = 0; place < moments.count;) {
    std::vector<eventsourcing::RecordedEvent> events;
    for (; place < moments.count && events.size() < events_at_once; ++place) {
      using Stored = eventsourcing::Stored<feed::MomentPublished>;
      const CorpusMoment moment = moments.at(place);
      eventsourcing::RecordedEvent& event = events.emplace_back();
      event.source = Stored::kSource;
      event.type = Stored::kType;
      event.schema_version = core::SchemaVersion(Stored::kSchemaVersion);
      event.time = moment.published_at;
      event.data = Stored::encode({.id = moment.id,
                                   .author = account_of(moment.author),
                                   .audience = moment.audience,
                                   .lists = {},
                                   .content = moment.text,
                                   .published_at = moment.published_at},
                                  cipher);
    }
    const auto begun = SteadyClock::now();
    for (const auto& event : events) search.apply(event);
    must(database.transact([&](sql::Transaction& transaction) { search.flush(transaction); }));
    search.flushed();
    took += SteadyClock::now() - begun;
  }
  return std::chrono::duration<double>(took).count();
}

// The same moments as the service's, keyed as an application would that has nothing but PostgreSQL.
constexpr std::initializer_list<const char*> kPeerTables = {
    "CREATE TABLE person (id int PRIMARY KEY, user_id text NOT NULL, real_name text NOT NULL)",
    "CREATE TABLE contact (one int NOT NULL, other int NOT NULL)",
    "CREATE TABLE follow (follower int, followee int, PRIMARY KEY (follower, followee))",
    "CREATE TABLE setting (owner int, other int, hides boolean, hidden_from boolean,"
    " PRIMARY KEY (owner, other))",
    "CREATE TABLE closed (person int PRIMARY KEY)",
    "CREATE TABLE moment (id bigint NOT NULL, author int NOT NULL, audience text NOT NULL,"
    " content text NOT NULL, published_at text NOT NULL)",
    "CREATE TABLE timeline (viewer int NOT NULL, moment bigint NOT NULL)"};
constexpr std::initializer_list<const char*> kPeerIndexes = {
    "SET LOCAL maintenance_work_mem = '1GB'",
    "ALTER TABLE timeline ADD PRIMARY KEY (viewer, moment)",
    "ALTER TABLE contact ADD PRIMARY KEY (one, other)",
    "ALTER TABLE moment ADD PRIMARY KEY (id)",
    "CREATE INDEX ON moment (author, id DESC) INCLUDE (audience)",
    "ANALYZE"};

void fill_peer(const FeedOptions& options, const Shuffled& order, const FirstMoments& first,
               const std::vector<Pair>& pairs) {
  postgres::PooledDatabase database(plain_database(options.peer_database));
  run(database, kPeerTables);
  Copy person(database, "person", {"id", "user_id", "real_name"});
  Copy moment(database, "moment", {"id", "author", "audience", "content", "published_at"});
  Copy timeline(database, "timeline", {"viewer", "moment"});
  for (std::uint32_t number = 0; number < order.people(); ++number) {
    person.add({number, std::to_string(number), name_of(number)});
  }
  std::vector<core::MomentId> moments(order.people());  // by their authors
  for (std::uint32_t place = 0; place < first.count; ++place) {
    const CorpusMoment shown = first.at(place);
    moments[shown.author] = shown.id;
    moment.add({shown.id, shown.author, to_string(shown.audience), shown.text,
                core::format_iso8601(shown.published_at)});
    if (options.peer_timelines) timeline.add({shown.author, shown.id});
  }
  Copy contact(database, "contact", {"one", "other"});
  // Of whom is asked for, alone: to its advantage.
  const auto is_asked = is_asked_of(order, options.asked);
  const auto add = [&](std::uint32_t one, std::uint32_t other) {
    if (is_asked[one]) contact.add({one, other});
    if (options.peer_timelines) timeline.add({one, moments[other]});
  };
  for (const auto& [one, other] : pairs) {
    add(one, other);
    add(other, one);
  }
  for (Copy* copy : {&person, &moment, &contact, &timeline}) copy->write();
  run(database, kPeerIndexes);
}

class RedisFill {
 public:
  explicit RedisFill(const std::string& socket) : redis_(redisConnectUnix(socket.c_str())) {
    if (redis_ == nullptr || redis_->err != 0) std::exit(failed("no Redis at " + socket));
  }
  ~RedisFill() { redisFree(redis_); }
  RedisFill(const RedisFill&) = delete;
  RedisFill& operator=(const RedisFill&) = delete;

  void send(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    redisAppendCommandArgv(redis_, static_cast<int>(words.size()), texts.data(), sizes.data());
    if (++sent_ == kPipeline) read_answers();
  }
  void read_answers() {
    for (; sent_ > 0; --sent_) {
      void* answer = nullptr;
      if (redisGetReply(redis_, &answer) != REDIS_OK) std::exit(failed("Redis does not answer"));
      if (static_cast<redisReply*>(answer)->type == REDIS_REPLY_ERROR) {
        std::exit(failed("Redis refused"));
      }
      freeReplyObject(answer);
    }
  }

 private:
  static constexpr int kPipeline = 1'000;

  redisContext* redis_;
  int sent_ = 0;
};

void fill_redis(const FeedOptions& options, const Shuffled& order,
                const std::vector<std::uint32_t>& places, const std::vector<Pair>& pairs) {
  RedisFill redis(options.redis);
  for (std::uint32_t place = 0; place < order.people(); ++place) {
    const std::uint32_t number = order.at(place);
    const auto id = first_moment_id(account_of(number), place).value();
    const std::string text = text_of(place);
    const std::string time = core::format_iso8601(first_moment_time(place));
    redis.send({"SET", "m:" + std::to_string(id), item_of({id, number, text, time})});
  }
  // Whose moments everybody who is asked for reads, by their places.
  const auto is_asked = is_asked_of(order, options.asked);
  std::vector<std::vector<std::uint32_t>> read(order.people());
  for (const auto& [one, other] : pairs) {
    if (is_asked[one]) read[one].push_back(places[other]);
    if (is_asked[other]) read[other].push_back(places[one]);
  }
  for (std::uint32_t viewer = 0; viewer < order.people(); ++viewer) {
    if (!is_asked[viewer]) continue;
    auto& list = read[viewer];
    list.push_back(places[viewer]);
    std::sort(list.begin(), list.end(), std::greater<>());
    list.resize(std::min(list.size(), options.timeline_length));
    std::vector<std::string> words = {"RPUSH", "t:" + std::to_string(viewer)};
    for (const std::uint32_t place : list) {
      const auto author = account_of(order.at(place));
      words.push_back(std::to_string(first_moment_id(author, place).value()));
    }
    redis.send(words);
  }
  redis.read_answers();
}

}  // namespace

int fill_feed(const FeedOptions& options) {
  const std::vector<Pair> pairs = graph_of(options.graph, options.law);
  const Shuffled order(people_in(pairs));
  const FirstMoments moments = first_moments(options, order);
  fill_service(options, order, moments);
  const double search_s = options.corpus > 0 ? fill_search(options, moments) : 0;
  fill_peer(options, order, moments, pairs);
  if (!options.redis.empty()) fill_redis(options, order, places_of(order), pairs);
  std::printf("{\"people\":%u,\"friendships\":%zu,\"search_s\":%.3f}\n", order.people(),
              pairs.size(), search_s);
  return 0;
}

}  // namespace tideline::bench
