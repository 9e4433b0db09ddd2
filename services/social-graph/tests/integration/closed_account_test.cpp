// What the closing of an account ends, over the real tables: the reaction, the projection and the
// commands of other people are moved by hand, in every order that matters.

#include <gmock/gmock.h>

#include <random>

#include "eventsourcing/events/event_codec.hpp"
#include "eventsourcing/projections/reaction.hpp"
#include "people/people_projection.hpp"
#include "postgres/store/subject_keys.hpp"
#include "social-graph/api/closed_account_rules.hpp"
#include "social-graph/api/contact_commands.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/domain/membership.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"
#include "social-graph/tests/integration/graph_database.hpp"

namespace tideline::social_graph {
namespace {

namespace es = eventsourcing;
using core::AccountId;
using es::RecordedEvent;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using State = es::Preparation::State;

constexpr std::int64_t kLimit = 10'000;
constexpr GroupLimits kGroupLimits{100, 100, std::chrono::days(30)};

class ClosedAccounts : public GraphDatabase {
 protected:
  void SetUp() override {
    for (const auto& user_id : users) know(user_id);
  }

  // The event of accounts. The directory of people learns of it by note_closed().
  void close(const std::string& user_id) {
    RecordedEvent event;
    event.id = "closing-of-" + user_id;
    event.source = "accounts";
    event.type = "AccountClosed";
    event.stream = core::stream_key({"account", service.account(user_id).to_string()});
    event.log = core::LogIndex(0);
    event.position = core::LogPosition(closings.size() + 1);
    event.metadata.correlation_id = "closing";
    event.data = R"({"account_id":")" + service.account(user_id).to_string() + R"("})";
    closings.push_back(std::move(event));
  }
  void note_closed() {
    es::PositionVector positions;
    for (const RecordedEvent& event : closings) {
      const auto text = nlohmann::json::parse(event.data).at("account_id").get<std::string>();
      write("UPDATE person SET closed = true WHERE account_id = $1::uuid",
            {*AccountId::parse(text)});
      positions.raise(event.source, event.log, event.position);
    }
    service.people_applied.advance(positions);
  }

  // A reaction and how far it has been fed; it forgets both when it dies.
  struct Reacting {
    Reacting(std::unique_ptr<es::ReactionRules> rules, GraphService& service)
        : reaction(std::move(rules), service.store, service.clock) {}
    es::Reaction reaction;
    std::size_t closings = 0;
    std::map<core::LogIndex, core::LogPosition> own;
  };
  std::unique_ptr<Reacting> start() {
    return std::make_unique<Reacting>(std::make_unique<ClosedAccountRules>(ClosedAccountPorts{
                                          .database = database,
                                          .log = service.store,
                                          .people = service.people,
                                          .people_applied = service.people_applied,
                                          .graph_applied = service.graph_applied,
                                          .groups = {service.cipher, kGroupLimits}}),
                                      service);
  }
  void feed(Reacting& reacting) {
    for (; reacting.closings < closings.size(); ++reacting.closings) {
      reacting.reaction.apply(closings[reacting.closings]);
    }
    for (std::uint32_t log = 0; log < service.store.logs(); ++log) {
      core::LogPosition& reached = reacting.own[core::LogIndex(log)];
      for (const auto& event : *service.store.read_log(core::LogIndex(log), reached, 1'000'000)) {
        reacting.reaction.apply(event);
        reached = event.position;
      }
    }
  }
  static State piece(Reacting& reacting) {
    const es::Preparation preparation = reacting.reaction.prepare_flush();
    EXPECT_NE(preparation.state, State::Failed) << preparation.error.message;
    return preparation.state;
  }
  // Everything until nothing more comes of anything.
  void run_until_idle(Reacting& reacting) {
    note_closed();
    std::size_t before = 0;
    do {
      before = service.events().size();
      project();
      feed(reacting);
      while (piece(reacting) != State::Done) project();
    } while (service.events().size() != before);
    project();
  }

  // Behind the routes, whose look into the directory may be older than the closing.
  bool run(const std::function<es::CommandResult(es::CommandSession&)>& body) {
    es::CommandContext context;
    context.now = service.clock.now();
    const auto outcome = es::run_command(service.store, context, body);
    CHECK(outcome.ok(), "the store in memory does not fail");
    return std::holds_alternative<es::CommandDone>(*outcome);
  }
  bool change(const AccountId& me, const AccountId& other, const ContactPair::Command& command) {
    return run([&](es::CommandSession& session) -> es::CommandResult {
      change_pair(session, me, other, command, kLimit);
      return es::Answer{};
    });
  }
  bool change(const std::string& me, const std::string& other, int kind) {
    const AccountId my_id = service.account(me);
    const AccountId other_id = service.account(other);
    if (kind == 0) return change(my_id, other_id, RequestContact{my_id, other_id});
    return change(my_id, other_id, AcceptContact{my_id, other_id});
  }
  bool join(const std::string& group, const std::string& user_id) {
    return run([&](es::CommandSession& session) -> es::CommandResult {
      GroupCommands(service.cipher, kGroupLimits).join(session, group, service.account(user_id));
      return es::Answer{};
    });
  }

  template <class D, class C>
  typename D::State state_of(const core::StreamId& stream, const C& codec) {
    es::CommandContext context;
    es::CommandSession session(service.store, context);
    return session.load<D>(stream, codec).state;
  }
  std::int64_t contacts_of(const std::string& user_id) {
    return state_of<ContactCount>(keys::contact_count(service.account(user_id)),
                                  eventsourcing::EventCodec<ContactCount>{})
        .count;
  }
  std::int64_t members_of(const std::string& group) {
    return state_of<MemberCount>(keys::member_count(group),
                                 eventsourcing::EventCodec<MemberCount>{})
        .count;
  }
  ContactPair::Phase between(const std::string& one, const std::string& other) {
    return state_of<ContactPair>(keys::contact(service.account(one), service.account(other)),
                                 eventsourcing::EventCodec<ContactPair>{})
        .phase;
  }
  bool is_member(const std::string& group, const std::string& user_id) {
    return state_of<Membership>(keys::member(group, service.account(user_id)),
                                eventsourcing::EventCodec<Membership>{})
        .is_member();
  }
  std::vector<std::string> caused() {
    std::vector<std::string> types;
    for (const auto& event : service.events()) {
      if (event.metadata.causation_id.starts_with("closing-of-")) types.push_back(event.type);
    }
    return types;
  }

  const std::vector<std::string> users{"ada", "bob", "eve", "dan"};
  std::vector<RecordedEvent> closings;
};

TEST_F(ClosedAccounts, EndsContactsRequestsAndMemberships) {
  service.befriend("ada", "bob");
  service.befriend("eve", "ada");
  service.post("/v1/contact-requests", "ada", {{"user_id", "dan"}});
  service.befriend("bob", "eve");
  service.put("/v1/follows/bob", "ada");
  service.put("/v1/follows/ada", "bob");
  const std::string chess = service.create_group("bob", "chess", false);
  const std::string own = service.create_group("ada", "own", false);
  for (const auto& group : {chess, own}) {
    service.post("/v1/groups/" + group + "/members", "ada");
    service.post("/v1/groups/" + group + "/members", "eve");
  }
  const auto reacting = start();
  run_until_idle(*reacting);
  const std::size_t before = service.events().size();
  close("ada");
  run_until_idle(*reacting);

  EXPECT_EQ(service.events().size(), before + 13);
  EXPECT_EQ(contacts_of("ada"), 0);
  EXPECT_EQ(contacts_of("bob"), 1);
  EXPECT_EQ(contacts_of("eve"), 1);
  EXPECT_EQ(between("ada", "dan"), ContactPair::Phase::Withdrawn);
  EXPECT_EQ(between("bob", "eve"), ContactPair::Phase::Contacts);
  EXPECT_EQ(members_of(chess), 2);
  EXPECT_THAT(users_of(service.get("/v1/contacts", "bob")), ElementsAre("eve"));
  EXPECT_THAT(users_of(service.get("/v1/contact-requests", "dan")), IsEmpty());
  EXPECT_EQ(service.get("/v1/groups/" + chess, "bob").body.at("member_count"), 2);
  EXPECT_EQ(service.get("/v1/groups/" + own, "eve").status, 404) << "dissolved";
  EXPECT_THAT(caused(),
              UnorderedElementsAre("ContactRemoved", "ContactCountChanged", "ContactCountChanged",
                                   "ContactRemoved", "ContactCountChanged", "ContactCountChanged",
                                   "ContactRequestWithdrawn", "GroupLeft", "MemberCountChanged",
                                   "GroupDissolved", "GroupNameReleased", "GroupCountChanged",
                                   "Unfollowed"));
  EXPECT_EQ(service.get("/v1/follows/me", "bob").body.at("follower_count"), 0);
  for (const auto& event : service.events()) {
    if (event.type != "GroupDissolved") continue;
    EXPECT_EQ(event.metadata.correlation_id, "closing");
    EXPECT_EQ(event.metadata.causation_id, "closing-of-ada");
  }
}

TEST_F(ClosedAccounts, WaitsUntilTheTablesShowWhatWasBegunBefore) {
  service.befriend("ada", "bob");
  close("ada");
  const auto reacting = start();
  feed(*reacting);
  EXPECT_EQ(piece(*reacting), State::Unfinished) << "what was begun is looked at";
  EXPECT_EQ(piece(*reacting), State::Unfinished) << "the directory does not know yet";
  note_closed();
  EXPECT_EQ(piece(*reacting), State::Unfinished) << "the tables do not show the contact yet";
  EXPECT_EQ(contacts_of("bob"), 1);
  project();
  for (int list = 0; list < 4; ++list) EXPECT_EQ(piece(*reacting), State::Unfinished);
  EXPECT_EQ(piece(*reacting), State::Done);
  EXPECT_EQ(contacts_of("bob"), 0);
}

// Else what comes behind the closing would be looked at before anybody knows of it, and stay.
TEST_F(ClosedAccounts, WaitsUntilTheDirectoryKnows) {
  service.befriend("ada", "bob");
  project();
  close("ada");
  const auto reacting = start();
  feed(*reacting);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(piece(*reacting), State::Unfinished);
  EXPECT_EQ(contacts_of("bob"), 1);
  ASSERT_TRUE(change("dan", "ada", 0));
  project();
  feed(*reacting);
  for (int i = 0; i < 6; ++i) (void)piece(*reacting);
  run_until_idle(*reacting);
  EXPECT_EQ(between("dan", "ada"), ContactPair::Phase::Declined);
}

TEST_F(ClosedAccounts, WhatComesLateIsEndedToo) {
  const std::string chess = service.create_group("bob", "chess", false);
  ASSERT_TRUE(change("ada", "bob", 0));
  ASSERT_TRUE(change("eve", "ada", 0));
  project();
  close("ada");
  const auto reacting = start();
  run_until_idle(*reacting);
  EXPECT_FALSE(change("bob", "ada", 1)) << "the request has been withdrawn";
  ASSERT_TRUE(change("dan", "ada", 0));  // whose look into the directory was older
  ASSERT_TRUE(change("ada", "dan", 1));  // by a token that has not expired
  ASSERT_TRUE(join(chess, "ada"));
  ASSERT_TRUE(run([&](es::CommandSession& session) -> es::CommandResult {
    const AccountId ada = service.account("ada"), bob = service.account("bob");
    es::change<Follow>(session, keys::follow(ada, bob), es::EventCodec<Follow>{},
                       FollowPerson{ada, bob});
    return es::Answer{};
  }));
  run_until_idle(*reacting);
  EXPECT_EQ(service.get("/v1/follows/me", "bob").body.at("follower_count"), 0);
  EXPECT_EQ(between("dan", "ada"), ContactPair::Phase::Removed);
  EXPECT_EQ(contacts_of("dan"), 0);
  EXPECT_EQ(members_of(chess), 1);
}

TEST_F(ClosedAccounts, AGroupThatWasHandedOverGoesOn) {
  const std::string chess = service.create_group("ada", "chess", false);
  ASSERT_TRUE(join(chess, "bob"));
  ASSERT_EQ(service.put("/v1/groups/" + chess + "/creator", "ada", {{"user_id", "bob"}}).status,
            204);
  const auto reacting = start();
  close("ada");
  run_until_idle(*reacting);
  EXPECT_EQ(members_of(chess), 1);
  ASSERT_TRUE(service.cipher.destroy(service.account("ada")).ok());
  const Reply card = service.get("/v1/groups/" + chess, "bob");
  EXPECT_EQ(card.body.at("name"), "chess") << "sealed under his key";
  EXPECT_EQ(card.body.at("creator").at("user_id"), "bob");

  close("bob");
  run_until_idle(*reacting);
  EXPECT_EQ(service.get("/v1/groups/" + chess, "eve").status, 404) << "his group, dissolved";
}

TEST_F(ClosedAccounts, AGroupThatIsHandedOverTooLateIsDissolved) {
  const std::string chess = service.create_group("bob", "chess", false);
  ASSERT_TRUE(join(chess, "ada"));
  const auto reacting = start();
  run_until_idle(*reacting);
  close("ada");
  note_closed();
  feed(*reacting);
  project();
  while (piece(*reacting) != State::Done) project();
  ASSERT_TRUE(join(chess, "ada"));  // by a token that has not expired
  // By who has not learned of the closing.
  ASSERT_TRUE(run([&](es::CommandSession& session) -> es::CommandResult {
    GroupCommands(service.cipher, kGroupLimits)
        .hand_over(session, chess, service.account("ada"), service.account("bob"));
    return es::Answer{};
  }));
  run_until_idle(*reacting);
  EXPECT_EQ(service.get("/v1/groups/" + chess, "bob").status, 404);
}

TEST_F(ClosedAccounts, WhatOthersCalledThatPersonIsGone) {
  service.befriend("ada", "bob");
  service.put("/v1/contacts/ada/remark", "bob", {{"remark", "Countess"}});
  const auto reacting = start();
  run_until_idle(*reacting);
  EXPECT_EQ(service.get("/v1/contacts", "bob").body.at("items").at(0).at("remark"), "Countess");
  close("ada");
  run_until_idle(*reacting);
  const auto left = read([](sql::Transaction& transaction) {
    return transaction.execute("SELECT count(*) FROM contact_remark WHERE remark IS NOT NULL")[0]
        .integer(0);
  });
  EXPECT_EQ(left, 0);
}

TEST_F(ClosedAccounts, TwoWhoCloseEndWhatWasBetweenThemOnce) {
  service.befriend("ada", "bob");
  close("ada");
  close("bob");
  run_until_idle(*start());
  EXPECT_EQ(contacts_of("ada"), 0);
  EXPECT_EQ(contacts_of("bob"), 0);
}

TEST_F(ClosedAccounts, FiveThousandContactsEndInPiecesAndOverARestart) {
  constexpr int kContacts = 5'000;
  const AccountId ada = service.account("ada");
  for (int i = 0; i < kContacts; ++i) {
    const AccountId other = service.account("contact-" + std::to_string(i));
    ASSERT_TRUE(change(ada, other, RequestContact{ada, other}));
    ASSERT_TRUE(change(other, ada, AcceptContact{other, ada}));
  }
  ASSERT_EQ(contacts_of("ada"), kContacts);
  project();
  close("ada");
  note_closed();
  auto reacting = start();
  reacting->reaction.apply(closings[0]);
  std::int64_t left = kContacts;
  for (int pieces = 0; pieces < 20; ++pieces) {
    ASSERT_EQ(piece(*reacting), State::Unfinished);
    const std::int64_t now = contacts_of("ada");
    ASSERT_LE(left - now, 100) << "a piece is bounded";
    left = now;
  }
  ASSERT_LT(left, kContacts);
  reacting = start();  // dies before any checkpoint
  run_until_idle(*reacting);
  EXPECT_EQ(contacts_of("ada"), 0);
  std::size_t removed = 0;
  for (const auto& event : service.events()) removed += event.type == "ContactRemoved" ? 1 : 0;
  EXPECT_EQ(removed, kContacts);
}

TEST_F(ClosedAccounts, TheKeyGoesWithTheAccount) {
  crypto::NoKeyWrap wrap;
  postgres::PostgresSubjectKeys keys(database, wrap);
  const AccountId ada = service.account("ada");
  ASSERT_TRUE(keys.get_or_create(ada).ok());
  const auto bobs = keys.get_or_create(service.account("bob"));
  close("ada");
  people::PeopleProjection directory;
  directory.apply(closings[0]);
  const auto flush_directory = [&] {
    return database.transact([&](sql::Transaction& transaction) { directory.flush(transaction); });
  };
  ASSERT_TRUE(flush_directory().ok());
  EXPECT_FALSE(keys.find(ada)->has_value());
  const auto late = keys.get_or_create(ada);
  ASSERT_FALSE(late.ok()) << "a late command brings no key back";
  EXPECT_EQ(late.error().code, core::ErrorCode::Conflict);
  EXPECT_EQ(**keys.find(service.account("bob")), *bobs);
  ASSERT_TRUE(flush_directory().ok()) << "as after a replay";
  EXPECT_FALSE(keys.find(ada)->has_value());
}

TEST_F(ClosedAccounts, TheirsWhoNeverWroteStayAwayToo) {
  crypto::NoKeyWrap wrap;
  postgres::PostgresSubjectKeys keys(database, wrap);
  close("dan");
  people::PeopleProjection directory;
  directory.apply(closings[0]);
  ASSERT_TRUE(
      database.transact([&](sql::Transaction& transaction) { directory.flush(transaction); }).ok());
  EXPECT_FALSE(keys.get_or_create(service.account("dan")).ok());
}

// Commands, the directory, the tables, pieces of the reaction and its deaths in any order: when all
// has come to rest, a closed account has nothing left, and the counts are those of the pairs.
TEST_F(ClosedAccounts, NothingIsLeftWhateverTheInterleaving) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  const std::string chess = service.create_group("dan", "chess", false);
  auto reacting = start();
  const std::size_t close_at = 30 + below(30);
  for (std::size_t step = 0; step < 120; ++step) {
    service.clock.advance(std::chrono::microseconds(1));
    const std::string& me = users[below(users.size())];
    const std::string& other = users[below(users.size())];
    if (step == close_at) close("ada");
    if (step == close_at + 10) close("bob");
    switch (below(9)) {
      case 0:
      case 1:
      case 2:
        if (me != other) (void)change(me, other, 0);
        break;
      case 3:
        if (me != other) (void)change(me, other, 1);
        break;
      case 4:
        (void)join(chess, me);
        break;
      case 5:
        note_closed();
        break;
      case 6:
        project();
        break;
      case 7:
        feed(*reacting);
        (void)piece(*reacting);
        break;
      default:
        if (below(4) == 0) reacting = start();
    }
  }
  run_until_idle(*reacting);
  for (const std::string closed : {"ada", "bob"}) {
    for (const auto& other : users) {
      if (other == closed) continue;
      EXPECT_NE(between(closed, other), ContactPair::Phase::Contacts) << closed << " " << other;
      EXPECT_NE(between(closed, other), ContactPair::Phase::Requested) << closed << " " << other;
    }
    EXPECT_FALSE(is_member(chess, closed)) << closed;
    EXPECT_EQ(contacts_of(closed), 0) << closed;
  }
  const bool contacts = between("eve", "dan") == ContactPair::Phase::Contacts;
  EXPECT_EQ(contacts_of("eve"), contacts ? 1 : 0);
  EXPECT_EQ(members_of(chess), 1 + (is_member(chess, "eve") ? 1 : 0));
}

}  // namespace
}  // namespace tideline::social_graph
