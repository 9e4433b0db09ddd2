// Blocks over HTTP: what they end, what they forbid in both directions, and what nobody learns.

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "eventsourcing/events/event_codec.hpp"
#include "social-graph/domain/contact_pair.hpp"
#include "social-graph/domain/counts.hpp"
#include "social-graph/domain/follow.hpp"
#include "social-graph/stored_events.hpp"
#include "social-graph/stream_keys.hpp"
#include "social-graph/tests/graph_service.hpp"
#include "social-graph/tests/people_in_memory.hpp"

namespace tideline::social_graph {
namespace {

using core::AccountId;
using eventsourcing::EventCodec;
using nlohmann::json;
using ::testing::UnorderedElementsAre;

struct BlockWorld {
  BlockWorld() {
    for (const char* user_id : {"ada", "bob", "eve"}) {
      people.put({service.account(user_id), user_id, "Name of " + std::string(user_id),
                  std::nullopt, false});
    }
  }
  Reply block(const char* by, const char* other) {
    return service.put("/v1/blocks/" + std::string(other), by);
  }
  Reply unblock(const char* by, const char* other) {
    return service.remove("/v1/blocks/" + std::string(other), by);
  }
  Reply ask(const char* from, const char* to) {
    return service.post("/v1/contact-requests", from, {{"user_id", to}});
  }
  Reply follow(const char* from, const char* to) {
    return service.put("/v1/follows/" + std::string(to), from);
  }
  std::vector<std::string> types_since(std::size_t events) {
    std::vector<std::string> types;
    for (const auto& event : service.events()) types.push_back(event.type);
    std::sort(types.begin(), types.end());
    std::vector<std::string> before = std::exchange(known_, types);
    EXPECT_EQ(before.size(), events);
    std::vector<std::string> since;
    std::set_difference(types.begin(), types.end(), before.begin(), before.end(),
                        std::back_inserter(since));
    return since;
  }

  template <class D>
  typename D::State state_of(const core::StreamId& stream) {
    eventsourcing::CommandContext context;
    eventsourcing::CommandSession session(service.store, context);
    return session.load<D>(stream, EventCodec<D>{}).state;
  }

  PeopleInMemory people;
  GraphService service{people};

 private:
  std::vector<std::string> known_;
};

class BlockApi : public BlockWorld, public ::testing::Test {};

TEST_F(BlockApi, ABlockEndsWhateverThereIsInOneAppend) {
  service.befriend("ada", "bob");
  follow("ada", "bob");
  follow("bob", "ada");
  const auto before = service.events().size();
  types_since(0);
  EXPECT_EQ(block("ada", "bob").status, 200);
  EXPECT_THAT(types_since(before),
              UnorderedElementsAre("PersonBlocked", "BlockCountChanged", "ContactRemoved",
                                   "ContactCountChanged", "ContactCountChanged", "Unfollowed",
                                   "Unfollowed"));
  const auto after = service.events().size();
  EXPECT_EQ(block("ada", "bob").status, 200);
  EXPECT_EQ(service.events().size(), after);
}

TEST_F(BlockApi, AnOpenRequestEndsFromEitherSide) {
  ask("ada", "bob");
  block("ada", "bob");
  EXPECT_EQ(service.post("/v1/contact-requests/ada/accept", "bob").status, 404);
  ask("eve", "bob");
  block("bob", "eve");
  EXPECT_EQ(service.post("/v1/contact-requests/eve/accept", "bob").status, 409);
}

TEST_F(BlockApi, WhoBlocksIsToldAndWhoIsBlockedMeetsNobody) {
  block("ada", "bob");
  EXPECT_EQ(ask("ada", "bob").problem(), "person-blocked");
  EXPECT_EQ(follow("ada", "bob").problem(), "person-blocked");
  const json nobody = ask("bob", "stranger").body;
  for (const bool known : {false, true}) {  // whether the table has it already
    if (known) people.block(service.account("ada"), service.account("bob"));
    EXPECT_EQ(ask("bob", "ada").status, 404);
    EXPECT_EQ(ask("bob", "ada").body, nobody);
    EXPECT_EQ(follow("bob", "ada").body.at("detail"), nobody.at("detail"));
  }
  const json hides{{"hides_other", true}, {"hidden_from_other", false}};
  EXPECT_EQ(service.put("/v1/moment-settings/ada", "bob", hides).status, 404);
  EXPECT_EQ(service.put("/v1/moment-settings/bob", "ada", hides).status, 200);
}

// Whoever is blocked may block, again too, and hears the same as of nobody.
TEST_F(BlockApi, BlockingTellsNothing) {
  EXPECT_EQ(block("bob", "ada").status, 200);
  block("ada", "bob");
  people.block(service.account("ada"), service.account("bob"));
  const Reply again = block("bob", "ada");
  EXPECT_EQ(again.status, 200);
  json nobody = block("bob", "stranger").body;
  nobody["user_id"] = "ada";
  EXPECT_EQ(again.body, nobody);
  people.block(service.account("bob"), service.account("ada"));
  EXPECT_EQ(ask("bob", "ada").problem(), "person-blocked");
  EXPECT_EQ(ask("ada", "bob").problem(), "person-blocked");
}

TEST_F(BlockApi, NobodyInvitesAcrossABlock) {
  const std::string group = service.create_group("ada", "chess", false);
  const auto invite = [&](const char* by, const char* whom) {
    return service.post("/v1/groups/" + group + "/invitations", by, {{"user_id", whom}}).status;
  };
  service.post("/v1/groups/" + group + "/members", "eve");
  block("bob", "ada");
  block("eve", "bob");
  EXPECT_EQ(invite("ada", "bob"), 404);
  EXPECT_EQ(invite("eve", "bob"), 409);
  unblock("eve", "bob");
  EXPECT_EQ(invite("eve", "bob"), 201);
}

TEST_F(BlockApi, AnEndedBlockBringsNothingBackAndTheOthersStays) {
  service.befriend("ada", "bob");
  block("ada", "bob");
  block("bob", "ada");
  EXPECT_EQ(unblock("ada", "bob").status, 204);
  EXPECT_EQ(unblock("ada", "bob").status, 204);
  EXPECT_EQ(ask("ada", "bob").status, 404);
  EXPECT_EQ(ask("bob", "ada").problem(), "person-blocked");
  EXPECT_EQ(unblock("bob", "ada").status, 204);
  EXPECT_EQ(ask("ada", "bob").status, 201);
}

TEST_F(BlockApi, NobodyBlocksHimselfOrWhatIsNoUserId) {
  EXPECT_EQ(block("ada", "ada").problem(), "oneself");
  EXPECT_EQ(block("ada", "ada b").problem(), "no-such-person");
}

// Against sets of pairs: whatever is done in whatever order, nothing stands across a block.
RC_GTEST_PROP(BlockLaw, NothingStandsAcrossABlock, ()) {
  BlockWorld world;
  const std::vector<const char*> users{"ada", "bob", "eve"};
  using Pair = std::pair<int, int>;
  std::set<Pair> blocked, follows, contacts, asked;  // contacts: both ways
  const auto person = rc::gen::inRange(0, 3);
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
      rc::gen::tuple(rc::gen::inRange(0, 4), person, person));
  for (const auto& [kind, me, other] : steps) {
    if (me == other) continue;
    const char* my = users[static_cast<std::size_t>(me)];
    const char* their = users[static_cast<std::size_t>(other)];
    const Pair out{me, other}, in{other, me};
    const bool apart = blocked.contains(out) || blocked.contains(in);
    if (kind == 0) {
      const int status = world.ask(my, their).status;
      RC_ASSERT((status == 201) == !apart);
      if (apart || contacts.contains(out)) continue;
      if (asked.erase(in) > 0) {
        contacts.insert({out, in});
      } else {
        asked.insert(out);
      }
    } else if (kind == 1) {
      RC_ASSERT((world.follow(my, their).status == 200) == !apart);
      if (!apart) follows.insert(out);
    } else if (kind == 2) {
      RC_ASSERT(world.block(my, their).status == 200);
      blocked.insert(out);
      world.service.clock.advance(std::chrono::days(31));  // what was declined may be asked again
      for (auto* relation : {&follows, &contacts, &asked}) {
        relation->erase(out);
        relation->erase(in);
      }
    } else {
      world.unblock(my, their);
      blocked.erase(out);
    }
    for (int one = 0; one < 3; ++one) {
      const AccountId one_id = world.service.account(users[static_cast<std::size_t>(one)]);
      const auto count = world.state_of<BlockCount>(keys::block_count(one_id)).count;
      RC_ASSERT(count == std::count_if(blocked.begin(), blocked.end(),
                                       [&](const Pair& pair) { return pair.first == one; }));
      for (int two = 0; two < 3; ++two) {
        if (one == two) continue;
        const AccountId two_id = world.service.account(users[static_cast<std::size_t>(two)]);
        const auto pair = world.state_of<ContactPair>(keys::contact(one_id, two_id));
        RC_ASSERT((pair.phase == ContactPair::Phase::Contacts) == contacts.contains({one, two}));
        const auto followed = world.state_of<Follow>(keys::follow(one_id, two_id));
        RC_ASSERT(followed.following == follows.contains({one, two}));
      }
    }
  }
}

}  // namespace
}  // namespace tideline::social_graph
