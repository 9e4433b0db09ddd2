// How people stand to each other: the same rules as social-graph's, written a second time.
#include <array>

#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr const char* kService = "social-graph";
constexpr const char* kAccepted = "ContactAccepted,ContactCountChanged,ContactCountChanged";
// Each may have called the other something.
constexpr const char* kRemoved =
    "ContactCountChanged,ContactCountChanged,(ContactRemarkRemoved,){0,2}ContactRemoved";

enum class Act { Request, Accept, Decline, Withdraw, Remove };

struct Offer {
  const char* kind;
  demo::Call call;
  int status;
};

Offer offer_of(Act act, const std::string& other) {
  switch (act) {
    case Act::Request:
      return {"contact-request", call_of("POST", "/v1/contact-requests", {{"user_id", other}}),
              201};
    case Act::Accept:
      return {"contact-accept", call_of("POST", "/v1/contact-requests/" + other + "/accept"), 200};
    case Act::Decline:
      return {"contact-decline", call_of("POST", "/v1/contact-requests/" + other + "/decline"),
              204};
    case Act::Withdraw:
      return {"contact-withdraw", call_of("DELETE", "/v1/contact-requests/" + other), 204};
    case Act::Remove:
      break;
  }
  return {"contact-remove", call_of("DELETE", "/v1/contacts/" + other), 204};
}

struct Outcome {
  int refused;  // with this status; 0: it is not
  std::string events;
  Pair after;
};

Outcome refusal(const Pair& pair, int status = 404) { return {status, "", pair}; }

Outcome end_of_request(const Pair& pair, MemberIndex from, PairPhase ended, const char* event) {
  if (pair.phase == ended && pair.from == from) return {0, "", pair};
  if (pair.phase != PairPhase::Requested || pair.from != from) return refusal(pair);
  return {0, event, {ended, from}};
}

Outcome outcome_of(Act act, const Pair& pair, MemberIndex actor, MemberIndex other) {
  const bool asked = pair.phase == PairPhase::Requested;
  switch (act) {
    case Act::Request:
      if (pair.phase == PairPhase::Contacts || (asked && pair.from == actor)) {
        return {0, "", pair};
      }
      if (asked) return {0, kAccepted, {PairPhase::Contacts, pair.from}};
      if (pair.phase == PairPhase::Declined && pair.from == actor) return refusal(pair, 409);
      return {0, "ContactRequested", {PairPhase::Requested, actor}};
    case Act::Accept:
      if (pair.phase == PairPhase::Contacts) return {0, "", pair};
      if (!asked || pair.from != other) return refusal(pair);
      return {0, kAccepted, {PairPhase::Contacts, other}};
    case Act::Decline:
      return end_of_request(pair, other, PairPhase::Declined, "ContactDeclined");
    case Act::Withdraw:
      return end_of_request(pair, actor, PairPhase::Withdrawn, "ContactRequestWithdrawn");
    case Act::Remove:
      break;
  }
  if (pair.phase == PairPhase::Removed) return {0, "", pair};
  if (pair.phase != PairPhase::Contacts) return refusal(pair);
  return {0, kRemoved, {PairPhase::Removed, pair.from}};
}

}  // namespace

Command CommandGenerator::contact(MemberIndex actor) {
  const MemberIndex other = other_than(actor);
  if (one_in(2) || other % workers_ == worker_) {
    const MemberIndex own = draw_actor();
    if (own != actor) return own_contact(actor, own);
  }
  if (other % workers_ == worker_) return own_contact(actor, other);
  return foreign_contact(other);
}

Command CommandGenerator::own_contact(MemberIndex actor, MemberIndex other) {
  Pair& pair = pairs_[std::minmax(actor, other)];
  static const std::discrete_distribution<int> kActs{5, 5, 1, 1, 2};
  auto acts = kActs;
  const auto act = static_cast<Act>(acts(random_));
  Outcome outcome = outcome_of(act, pair, actor, other);
  Offer offer = offer_of(act, name(other));
  if (outcome.refused != 0) {
    return fails(offer.kind, kService, std::move(offer.call), outcome.refused);
  }
  Command command =
      does(offer.kind, kService, std::move(offer.call), offer.status, std::move(outcome.events));
  command.learn = [this, &pair, after = outcome.after, actor, other](const demo::Reply& reply) {
    if (!acknowledged(reply)) return;
    pair = after;
    if (pair.phase != PairPhase::Removed) return;
    member(actor).remarked.erase(other);
    member(other).remarked.erase(actor);
  };
  return command;
}

// Two workers at one pair: what comes of it depends on who is first.
Command CommandGenerator::foreign_contact(MemberIndex other) {
  static const std::discrete_distribution<int> kActs{6, 6, 1, 1, 1};
  auto acts = kActs;
  const auto act = static_cast<Act>(acts(random_));
  Offer offer = offer_of(act, name(other));
  std::string events;
  switch (act) {
    case Act::Request:
      events = std::string("(ContactRequested|") + kAccepted + ")?";
      break;
    case Act::Accept:
      events = std::string("(") + kAccepted + ")?";
      break;
    case Act::Decline:
      events = "(ContactDeclined)?";
      break;
    case Act::Withdraw:
      events = "(ContactRequestWithdrawn)?";
      break;
    case Act::Remove:
      events = std::string("(") + kRemoved + ")?";
      break;
  }
  return does(offer.kind, kService, std::move(offer.call), 0, std::move(events));
}

// Of another worker's member nobody here knows whether it is a contact.
Command CommandGenerator::remark(MemberIndex actor) {
  const MemberIndex other = draw_actor();
  if (other == actor) return contact(actor);
  const bool are_contacts = pairs_[std::minmax(actor, other)].phase == PairPhase::Contacts;
  demo::Call call =
      call_of("PUT", "/v1/contacts/" + name(other) + "/remark", {{"remark", text("Called")}});
  if (!are_contacts) return fails("remark", kService, std::move(call), 404);
  Command command = does("remark", kService, std::move(call), 204, "ContactRemarked");
  command.learn = [&remarked = member(actor).remarked, other](const auto& reply) {
    if (acknowledged(reply)) remarked.insert(other);
  };
  return command;
}

// As long as they are contacts it stands; with that it ends by itself.
Command CommandGenerator::remove_remark(MemberIndex actor) {
  std::set<MemberIndex>& remarked = member(actor).remarked;
  const MemberIndex other =
      remarked.empty() || one_in(4) ? own_other_than(actor) : *remarked.begin();
  if (other == actor) return contact(actor);
  Command command =
      does("remark-remove", kService, call_of("DELETE", "/v1/contacts/" + name(other) + "/remark"),
           204, remarked.contains(other) ? "ContactRemarkRemoved" : "");
  command.learn = [&remarked, other](const auto& reply) {
    if (acknowledged(reply)) remarked.erase(other);
  };
  return command;
}

Command CommandGenerator::dismiss_suggestion(MemberIndex actor) {
  const MemberIndex other = other_than(actor);
  std::set<MemberIndex>& dismissed = member(actor).dismissed;
  Command command = does("suggestion-dismiss", kService,
                         call_of("DELETE", "/v1/contact-suggestions/" + name(other)), 204,
                         dismissed.contains(other) ? "" : "ContactSuggestionDismissed");
  command.learn = [&dismissed, other](const auto& reply) {
    if (acknowledged(reply)) dismissed.insert(other);
  };
  return command;
}

Command CommandGenerator::show_counts(MemberIndex actor) {
  static constexpr std::array kAudiencesOfCounts = {"nobody", "contacts", "everybody"};
  std::string& held = member(actor).counts_shown_to;
  const std::string wanted = any_of(kAudiencesOfCounts, random_);
  Command command =
      does("counts-show", kService, call_of("PUT", "/v1/follows/me", {{"counts_shown_to", wanted}}),
           204, wanted == held ? "" : "FollowCountsShown");
  command.learn = [&held, wanted](const auto& reply) {
    if (acknowledged(reply)) held = wanted;
  };
  return command;
}

Command CommandGenerator::follow(MemberIndex actor) {
  const MemberIndex other = other_than(actor);
  std::set<MemberIndex>& following = member(actor).following;
  const std::string target = "/v1/follows/" + name(other);
  const bool follows = following.contains(other);
  Command command;
  if (one_in(3)) {
    command =
        does("unfollow", kService, call_of("DELETE", target), 204, follows ? "Unfollowed" : "");
    command.learn = [&following, other](const auto& reply) {
      if (acknowledged(reply)) following.erase(other);
    };
    return command;
  }
  command = does("follow", kService, call_of("PUT", target), 200, follows ? "" : "Followed");
  command.learn = [&following, other](const auto& reply) {
    if (acknowledged(reply)) following.insert(other);
  };
  return command;
}

Command CommandGenerator::setting(MemberIndex actor) {
  const MemberIndex other = other_than(actor);
  MomentSetting& held = member(actor).settings[other];
  const MomentSetting wanted{one_in(4), one_in(4)};
  Command command = does("moment-setting", kService,
                         call_of("PUT", "/v1/moment-settings/" + name(other),
                                 {{"hides_other", wanted.hides_other},
                                  {"hidden_from_other", wanted.hidden_from_other}}),
                         200, wanted == held ? "" : "MomentSettingChanged");
  command.learn = [&held, wanted](const auto& reply) {
    if (acknowledged(reply)) held = wanted;
  };
  return command;
}

}  // namespace tideline::chaos
