// Draws commands at random, those that must be refused among them, and says what must come of each.
//
// One worker each. A command must be carried out before the next is drawn: it is predicted from the
// answers so far.
#pragma once

#include <chrono>
#include <map>
#include <utility>

#include "campus.hpp"

namespace tideline::chaos {

class CommandGenerator {
 public:
  // Worker `worker` of `workers` acts for the members worker, worker + workers, ...; the operator
  // is an account of its own. All must outlive the generator and its commands.
  CommandGenerator(Campus& campus, Account& operator_account, std::size_t worker,
                   std::size_t workers, std::mt19937_64& random);

  MemberIndex draw_actor();
  Command draw(MemberIndex actor);

 private:
  using Generate = Command (CommandGenerator::*)(MemberIndex);

  // Contacts: between two of this worker's members predicted, across workers open.
  Command contact(MemberIndex actor);
  Command own_contact(MemberIndex actor, MemberIndex other);
  Command foreign_contact(MemberIndex other);
  Command remark(MemberIndex actor);
  Command remove_remark(MemberIndex actor);
  Command dismiss_suggestion(MemberIndex actor);
  Command follow(MemberIndex actor);
  Command show_counts(MemberIndex actor);
  Command setting(MemberIndex actor);

  Command create_tag(MemberIndex actor);
  Command delete_tag(MemberIndex actor);
  Command tag_contact(MemberIndex actor);
  Command create_group(MemberIndex actor);
  Command join_group(MemberIndex actor);
  Command leave_group(MemberIndex actor);
  Command invite(MemberIndex actor);
  Command rename_group(MemberIndex actor);
  Command dissolve_group(MemberIndex actor);
  // The others are members of this worker, too, so that both know how each stands to the group.
  Command change_history(MemberIndex actor);
  Command change_admin(MemberIndex actor);
  Command remove_from_group(MemberIndex actor);
  Command hand_over_group(MemberIndex actor);
  Command decline_invitation(MemberIndex actor);

  void choose_audience(MemberIndex actor, demo::Json& body);
  Command publish_moment(MemberIndex actor);
  Command delete_moment(MemberIndex actor);
  Command delete_foreign_moment(MemberIndex actor);
  Command edit_moment(MemberIndex actor);
  Command change_audience(MemberIndex actor);
  Command like(MemberIndex actor);
  Command comment_on_moment(MemberIndex actor);
  Command delete_comment(MemberIndex actor);
  // What somebody notes for himself, or reports.
  Command bookmark(MemberIndex actor);
  Command pin(MemberIndex actor);
  Command visit_moment(MemberIndex actor);
  Command visit_project(MemberIndex actor);
  Command report(MemberIndex actor);
  Command see_notifications(MemberIndex actor);
  Command mute_notifications(MemberIndex actor);
  Command see_timeline(MemberIndex actor);

  Command send_message(MemberIndex actor);
  Command send_to_group(MemberIndex actor);
  Command read_messages(MemberIndex actor);
  Command read_group(MemberIndex actor);
  Command recall_message(MemberIndex actor);
  Command answer_request(MemberIndex actor);
  Command read_conversation(MemberIndex actor);
  Command change_message_setting(MemberIndex actor);

  Command create_project(MemberIndex actor);
  Command edit_project(MemberIndex actor);
  Command withdraw_project(MemberIndex actor);
  Command change_icon(MemberIndex actor);
  Command comment(MemberIndex actor);
  Command remove_comment(MemberIndex actor);
  // The actor is the project's author; the adviser is another one of this worker's members.
  Command give_advice(MemberIndex actor);
  Command adopt_advice(MemberIndex actor);
  Command withdraw_advice(MemberIndex actor);
  Command open_voting(MemberIndex actor);
  Command close_voting(MemberIndex actor);
  Command vote(MemberIndex actor);
  Command rate_person(MemberIndex actor);
  Command rate_project(MemberIndex actor);
  Command rate(MemberIndex actor, const std::string& target, int status);

  Command change_profile(MemberIndex actor);
  Command change_avatar(MemberIndex actor);
  Command visit_profile(MemberIndex actor);
  Command sign_in(MemberIndex actor);
  Command register_again(MemberIndex actor);
  // Somebody new registers, makes friends, and closes his account: the next step of that.
  Command newcomer(MemberIndex actor);
  Command adjust_points(MemberIndex actor);
  Command refused(MemberIndex actor);

  Member& member(MemberIndex index) { return campus_.members[index]; }
  const std::string& name(MemberIndex index) { return member(index).account.user_id; }
  MemberIndex other_than(MemberIndex actor);
  // A piece of advice on one of his projects, with the path of it; null: there is none.
  struct NamedAdvice {
    ReceivedAdvice* advice = nullptr;
    std::string path;
  };
  NamedAdvice any_advice(MemberIndex author);
  // Another one of this worker's; the actor himself if none is drawn.
  MemberIndex own_other_than(MemberIndex actor);
  // Rather a member of the group than another one of this worker's.
  MemberIndex own_member_of(const OwnGroup& group, MemberIndex actor);
  // One of his groups; null: he has none.
  OwnGroup* any_group(MemberIndex creator);
  bool one_in(int n) { return std::uniform_int_distribution<>(1, n)(random_) == 1; }
  // No two texts of a run are the same, so that every edit is a change.
  std::string text(const std::string& begin);

  // Shows one of a few pictures there, or none any more.
  Command change_picture(std::string kind, std::string service, const std::string& target,
                         const char* event, std::optional<std::uint32_t>& shown);

  struct Newcomer {
    Account account;
    MemberIndex first_friend = 0;
    int step = 0;
  };

  Campus& campus_;
  Account& operator_;
  std::size_t worker_;
  std::size_t workers_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mt19937_64& random_;
  std::discrete_distribution<std::size_t> choice_;
  std::map<std::pair<MemberIndex, MemberIndex>, Pair>
      pairs_;  // first < second, both of this worker
  std::optional<Newcomer> newcomer_;
  std::size_t newcomers_ = 0;
  std::uint64_t texts_ = 0;
};

// A command that is predicted to do something, to be a repetition, or to be refused.
Command does(std::string kind, std::string service, demo::Call call, int status,
             std::string events);
Command repeats(std::string kind, std::string service, demo::Call call, int status);
Command fails(std::string kind, std::string service, demo::Call call, int status = 0);
demo::Call call_of(std::string method, std::string target, demo::Json body = nullptr);
// Of what an acknowledged command has made.
std::string id_in(const demo::Reply& reply);

}  // namespace tideline::chaos
