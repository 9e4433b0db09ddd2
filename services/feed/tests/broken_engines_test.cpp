// That the law test can fail: each engine here lacks one rule, and is found out by the same trials.
// Rules of the predicates and grants are switched off; anyone who misunderstands an event is given
// another one instead of it.
#include <gtest/gtest.h>

#include <iostream>

#include "one_time.hpp"
#include "trial.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::RecordedEvent;
using testing::BrokenEngine;
using testing::Events;
using testing::Misreading;
using Json = nlohmann::json;

Misreading without(const std::string& type) {
  return
      [type](const RecordedEvent& event) { return event.type == type ? Events{} : Events{event}; };
}

// Takes events of the type to be what `change` makes of their data.
template <class Change>
Misreading with(const std::string& type, Change change) {
  return [type, change](const RecordedEvent& event) {
    if (event.type != type) return Events{event};
    RecordedEvent changed = event;
    Json data = Json::parse(event.data);
    change(data);
    changed.data = data.dump();
    return Events{changed};
  };
}

Misreading always(const char* flag, bool value) {
  return with("MomentSettingChanged", [=](Json& data) { data[flag] = value; });
}

Misreading without_list(const char* field) {
  return with("MomentPublished", [=](Json& data) { data[field] = Json::array(); });
}

// A change of an audience for one to the same audience without its lists.
Misreading change_without_list(const char* field) {
  return with("MomentAudienceChanged", [=](Json& data) { data[field] = Json::array(); });
}

// An audience for another one, without its lists.
Misreading audience(const std::string& of, const std::string& taken_for) {
  return with("MomentPublished", [=](Json& data) {
    if (data["audience"] != of) return;
    data["audience"] = taken_for;
    for (const char* list : {"user_ids", "tag_ids", "group_ids"}) data[list] = Json::array();
  });
}

void swap_settings(Json& data) { std::swap(data["owner"], data["other"]); }
void swap_follow(Json& data) { std::swap(data["follower"], data["followee"]); }

Misreading without_token(const std::string& type) {
  return [type](const RecordedEvent& event) {
    if (event.type != type) return Events{event};
    RecordedEvent changed = event;
    Json data = Json::parse(event.data);
    data.erase("seen");
    changed.data = data.dump();
    changed.metadata.seen = "";
    return Events{changed};
  };
}

// Everybody's moments may use anybody's tag: each tag is taken for one of the moment's author.
Events share_tags(const RecordedEvent& event) {
  Json data = Json::parse(event.data);
  const auto made = [&event](const Json& changed) {
    RecordedEvent copy = event;
    copy.data = changed.dump();
    return copy;
  };
  if (event.type == "MomentPublished" || event.type == "MomentAudienceChanged") {
    for (auto& tag : data["tag_ids"])
      tag = tag.get<std::string>() + data["author"].get<std::string>();
    return {made(data)};
  }
  if (!event.type.ends_with("Tagged") && !event.type.ends_with("Untagged") &&
      event.type != "TagDeleted") {
    return {event};
  }
  Events all;
  const std::string tag = data["tag_id"];
  const testing::History nothing({});
  for (const core::AccountId& person : nothing.people()) {
    data["owner"] = person.to_string();
    data["tag_id"] = tag + person.to_string();
    all.push_back(made(data));
  }
  return all;
}

// Anyone who removes a contact makes him forget more than that.
Events cascade_exclusion(const RecordedEvent& event) {
  if (event.type != "ContactRemoved") return {event};
  Json data = Json::parse(event.data);
  RecordedEvent lifted = event;
  lifted.type = "MomentSettingChanged";
  lifted.data = Json{
      {"owner", data["by"]},
      {"other", data["other"]},
      {"hides_other", false},
      {"hidden_from_other",
       false}}.dump();
  return {event, lifted};
}

Events follow_as_contact(const RecordedEvent& event) {
  if (event.type != "Followed") return {event};
  const Json data = Json::parse(event.data);
  RecordedEvent contact = event;
  contact.type = "ContactAccepted";
  contact.data = Json{{"from", data["follower"]}, {"to", data["followee"]}}.dump();
  return {contact};
}

Events request_as_contact(const RecordedEvent& event) {
  if (event.type != "ContactRequested") return {event};
  RecordedEvent contact = event;
  contact.type = "ContactAccepted";
  return {contact};
}

BrokenEngine lacking(const std::string& rule, VisibilityRules rules) {
  return {.rule = rule, .rules = rules};
}
BrokenEngine lacking(const std::string& rule, Grant grant) {
  return {.rule = rule, .ignored_grant = grant};
}
BrokenEngine lacking(const std::string& rule, Loss loss) {
  return {.rule = rule, .ignored_loss = loss};
}
BrokenEngine lacking(const std::string& rule, Misreading misread) {
  return {.rule = rule, .misread = std::move(misread)};
}
// A start from a snapshot forgets it.
BrokenEngine forgetting(const std::string& part, testing::SavedEngine::Loss lost) {
  return {.rule = part, .lost = std::move(lost)};
}

void lift_exclusions(GraphMemory& graph) {
  for (std::uint32_t one = 1; one < graph.people(); ++one) {
    for (std::uint32_t other = 1; other < graph.people(); ++other) {
      graph.set_exclusion(PersonIndex{one}, PersonIndex{other}, false, false);
    }
  }
}

template <class Show>
void show_all(FeedMemory& memory, const Show& show) {
  for (std::uint32_t one = 1; one < memory.graph.people(); ++one) {
    for (const core::MomentId id : memory.moments.of_author(PersonIndex{one})) show(id);
  }
}
void show_moments(FeedMemory& memory) {
  show_all(memory, [&](core::MomentId id) { memory.moments.set_hidden(id, false); });
}
void show_comments(FeedMemory& memory) {
  show_all(memory, [&](core::MomentId id) {
    for (const CommentFacts& comment : memory.interactions.of(id).comments) {
      memory.interactions.set_comment_hidden(id, comment.id, false);
    }
  });
}

void lift_blocks(GraphMemory& graph) {
  for (std::uint32_t one = 1; one < graph.people(); ++one) {
    for (std::uint32_t other = 1; other < graph.people(); ++other) {
      graph.set_block(PersonIndex{one}, PersonIndex{other}, false);
    }
  }
}

// Whoever ends a block of his ends the other's, too.
Events end_both_blocks(const RecordedEvent& event) {
  if (event.type != "PersonUnblocked") return {event};
  Json data = Json::parse(event.data);
  std::swap(data["by"], data["other"]);
  RecordedEvent others = event;
  others.data = data.dump();
  return {event, others};
}

const BrokenEngine kBroken[] = {
    lacking("Exclusions", VisibilityRules{.exclusion = false}),
    lacking("BlocksInThePredicates", VisibilityRules{.blocks = false}),
    lacking("ListsOfPartlyInvisible", VisibilityRules{.partly_invisible = false}),
    lacking("Audiences", VisibilityRules{.audience = false}),
    lacking("PartlyIsForContacts", VisibilityRules{.contacts_only = false}),
    lacking("OwnMoments", VisibilityRules{.own = false}),

    lacking("MomentsBeforeWhatIsUnderThem", VisibilityRules{.moment_first = false}),
    lacking("StrangersWords", VisibilityRules{.known_writers = false}),
    lacking("OwnWords", VisibilityRules{.own_words = false}),
    lacking("AuthorsWords", VisibilityRules{.authors_words = false}),
    lacking("ClosedAccountsWords", VisibilityRules{.closed_words = false}),

    lacking("OlderMomentsOfANewContact", Grant::Contact),
    lacking("OlderMomentsOfAFollowed", Grant::Follow),
    lacking("OlderMomentsByATag", Grant::Tag),
    lacking("OlderMomentsByAnUntagging", Grant::Untag),
    lacking("OlderMomentsByATagsEnd", Grant::TagEnd),
    lacking("OlderMomentsOfWhoIsWantedAgain", Grant::Wanted),
    lacking("OlderMomentsOfWhoAllowsAgain", Grant::Allowed),
    lacking("OlderMomentsAfterABlock", Grant::Unblock),
    lacking("OlderMomentsByTheirAudience", Grant::Audience),
    lacking("OlderMomentsByJoining", Grant::Join),
    lacking("OlderMomentsByLeaving", Grant::Leave),
    lacking("OlderMomentsByAGroupsEnd", Grant::GroupEnd),
    lacking("MomentsOfAContactNoMore", Loss::Contact),
    lacking("MomentsOfAFollowedNoMore", Loss::Follow),
    lacking("MomentsOfWhoIsNotWanted", Loss::Wanted),

    lacking("Contacts", without("ContactAccepted")),
    lacking("ContactsAreAccepted", request_as_contact),
    lacking("Unfriending", without("ContactRemoved")),
    lacking("NothingCascades", cascade_exclusion),
    lacking("Follows", without("Followed")),
    lacking("Unfollowing", without("Unfollowed")),
    lacking("FollowsAreOneWay", with("Followed", swap_follow)),
    lacking("FollowersAreNoContacts", follow_as_contact),
    lacking("Tags", without("ContactTagged")),
    lacking("Untagging", without("ContactUntagged")),
    lacking("TagsEnd", without("TagDeleted")),
    lacking("TagsAreTheAuthors", share_tags),
    lacking("Groups", without("GroupJoined")),
    lacking("LeavingAGroup", without("GroupLeft")),
    lacking("RemovalsFromAGroup", without("GroupMemberRemoved")),
    lacking("GroupsEnd", without("GroupDissolved")),
    lacking("Blocks", without("PersonBlocked")),
    lacking("Unblocking", without("PersonUnblocked")),
    lacking("EachEndsTheirOwnBlock", end_both_blocks),
    lacking("WhomIDoNotSee", always("hides_other", false)),
    lacking("WhoMustNotSeeMe", always("hidden_from_other", false)),
    lacking("WhomISeeAgain", always("hides_other", true)),
    lacking("WhoMaySeeMeAgain", always("hidden_from_other", true)),
    lacking("WhoseSettingItIs", with("MomentSettingChanged", swap_settings)),
    lacking("ClosedAccounts", without("AccountClosed")),
    lacking("Deleting", without("MomentDeleted")),
    lacking("Hiding", without("MomentHidden")),
    lacking("Restoring", without("MomentRestored")),
    lacking("HidingComments", without("CommentHidden")),
    lacking("RestoringComments", without("CommentRestored")),
    lacking("WhatTheRestorerOfACommentHadSeen", without_token("CommentRestored")),
    lacking("NamedUsers", without_list("user_ids")),
    lacking("NamedTags", without_list("tag_ids")),
    lacking("NamedGroups", without_list("group_ids")),
    lacking("PublicIsForStrangers", audience("public", "partly-invisible")),
    lacking("PrivateIsForNobody", audience("private", "partly-invisible")),
    lacking("ListsOfPartlyVisible", audience("partly-visible", "partly-invisible")),
    lacking("PartlyInvisibleIsForContacts", audience("partly-invisible", "public")),
    lacking("ChangesOfAudiences", without("MomentAudienceChanged")),
    lacking("ChangedUsers", change_without_list("user_ids")),
    lacking("ChangedTags", change_without_list("tag_ids")),
    lacking("ChangedGroups", change_without_list("group_ids")),
    lacking("WhatTheWriterHadSeen", without_token("MomentPublished")),
    lacking("Likes", without("MomentLiked")),
    lacking("TakingALikeBack", without("MomentUnliked")),
    lacking("Bookmarks", without("MomentBookmarked")),
    lacking("RemovingABookmark", without("BookmarkRemoved")),
    lacking("Comments", without("CommentAdded")),
    lacking("DeletingComments", without("CommentDeleted")),
    lacking("Answers", with("CommentAdded", [](Json& data) { data["parent_id"] = nullptr; })),
    lacking("WhatTheCommenterHadSeen", without_token("CommentAdded")),
    lacking("Edits", without("MomentEdited")),
    lacking("WhatHasBeenSeen", without("TimelineSeen")),
    lacking("WhatTheEditorHadSeen", without_token("MomentEdited")),

    forgetting("SavedMoments", [](FeedMemory& memory) { memory.moments = {}; }),
    forgetting("SavedInteractions", [](FeedMemory& memory) { memory.interactions = {}; }),
    forgetting("SavedMarks", [](FeedMemory& memory) { memory.seen_up_to.clear(); }),
    forgetting("WhatWaitsInTheGate", [](FeedMemory& memory) { memory.holdback.clear(); }),
    forgetting("WhatIsKnown", [](FeedMemory& memory) { memory.known = {}; }),
    forgetting("SavedHidings", show_moments),
    forgetting("SavedHidingsOfComments", show_comments),
    forgetting("SavedExclusions", [](FeedMemory& memory) { lift_exclusions(memory.graph); }),
    forgetting("SavedBlocks", [](FeedMemory& memory) { lift_blocks(memory.graph); }),
};

// Relations that count before what their writers had seen.
const BrokenEngine kHasty[] = {
    lacking("WhatTheNewContactHadSeen", without_token("ContactAccepted")),
    lacking("WhatTheFollowerHadSeen", without_token("Followed")),
    lacking("WhatTheTaggerHadSeen", without_token("ContactTagged")),
    lacking("WhatTheUntaggerHadSeen", without_token("ContactUntagged")),
    lacking("WhatTheDeleterOfATagHadSeen", without_token("TagDeleted")),
    lacking("WhatTheLifterOfAnExclusionHadSeen", without_token("MomentSettingChanged")),
    lacking("WhatTheUnblockerHadSeen", without_token("PersonUnblocked")),
    lacking("WhatTheNewMemberHadSeen", without_token("GroupJoined")),
    lacking("WhatWhoLeftHadSeen", without_token("GroupLeft")),
    lacking("WhatTheRemoverHadSeen", without_token("GroupMemberRemoved")),
    lacking("WhatTheDissolverHadSeen", without_token("GroupDissolved")),
    lacking("WhatTheChangerOfAnAudienceHadSeen", without_token("MomentAudienceChanged")),
    lacking("WhatTheRestorerHadSeen", without_token("MomentRestored")),
};

// The first difference that a search of at most `trials` histories finds.
testing::Difference search(const BrokenEngine& broken, int trials) {
  std::mt19937 numbers(20260102);
  for (int i = 0; i < trials; ++i) {
    if (auto difference = run(testing::random_trial(numbers, 800, 500), broken)) return difference;
  }
  return std::nullopt;
}

class FeedEngineWithout : public ::testing::TestWithParam<BrokenEngine> {};

TEST_P(FeedEngineWithout, IsFoundOut) {
  const auto difference = search(GetParam(), 2'000);
  ASSERT_TRUE(difference) << "no history shows that this rule is missing";
  std::cout << "found: " << difference->substr(0, 100) << '\n';
}

const auto rule_name = [](const auto& tested) { return tested.param.rule; };
INSTANTIATE_TEST_SUITE_P(ARule, FeedEngineWithout, ::testing::ValuesIn(kBroken), rule_name);
INSTANTIATE_TEST_SUITE_P(AToken, FeedEngineWithout, ::testing::ValuesIn(kHasty), rule_name);

class HastyFeedEngine : public ::testing::TestWithParam<BrokenEngine> {};

TEST_P(HastyFeedEngine, ShowsWhatWasNeverSo) {
  std::mt19937 numbers(20261122);
  testing::Difference difference;
  for (int i = 0; i < 5'000 && !difference; ++i) {
    testing::LooksAtOneTime at_one_time(testing::random_trial(numbers, 400, 300));
    difference = at_one_time.run(GetParam());
  }
  ASSERT_TRUE(difference) << "no history shows it";
  std::cout << "found: " << *difference << '\n';
}

INSTANTIATE_TEST_SUITE_P(AToken, HastyFeedEngine, ::testing::ValuesIn(kHasty), rule_name);

TEST(FeedEngineWithoutNothing, IsNotFoundOut) { EXPECT_EQ(search({}, 100), std::nullopt); }

}  // namespace
}  // namespace tideline::feed
