#include "command_generator.hpp"

#include <array>

#include "demo/pictures.hpp"

namespace tideline::chaos {
namespace {

constexpr std::uint32_t kPictures = 6;
constexpr std::uint32_t kPixels = 24;

}  // namespace

Command does(std::string kind, std::string service, demo::Call call, int status,
             std::string events) {
  return {std::move(kind), std::move(service), std::move(call), std::move(events), status};
}

Command repeats(std::string kind, std::string service, demo::Call call, int status) {
  return does(std::move(kind), std::move(service), std::move(call), status, "");
}

Command fails(std::string kind, std::string service, demo::Call call, int status) {
  return does(std::move(kind), std::move(service), std::move(call), status, "");
}

demo::Call call_of(std::string method, std::string target, demo::Json body) {
  return {std::move(method), std::move(target), "", std::move(body), ""};
}

std::string id_in(const demo::Reply& reply) { return reply.json().at("id").get<std::string>(); }

CommandGenerator::CommandGenerator(Campus& campus, Account& operator_account, std::size_t worker,
                                   std::size_t workers, std::mt19937_64& random)
    : campus_(campus),
      operator_(operator_account),
      worker_(worker),
      workers_(workers),
      random_(random) {}

MemberIndex CommandGenerator::draw_actor() {
  const std::size_t own = (campus_.members.size() - worker_ + workers_ - 1) / workers_;
  return worker_ + workers_ * std::uniform_int_distribution<std::size_t>(0, own - 1)(random_);
}

MemberIndex CommandGenerator::other_than(MemberIndex actor) {
  const std::size_t people = campus_.members.size();
  return (actor + std::uniform_int_distribution<std::size_t>(1, people - 1)(random_)) % people;
}

MemberIndex CommandGenerator::own_other_than(MemberIndex actor) {
  MemberIndex other = actor;
  for (int tries = 0; tries < 4 && other == actor; ++tries) other = draw_actor();
  return other;
}

std::string CommandGenerator::text(const std::string& begin) {
  return begin + " " + std::to_string(worker_) + "-" + std::to_string(++texts_);
}

Command CommandGenerator::draw(MemberIndex actor) {
  struct Kind {
    Generate invent;
    double weight;
  };
  static constexpr std::array kKinds{
      Kind{&CommandGenerator::contact, 16},
      Kind{&CommandGenerator::remark, 2},
      Kind{&CommandGenerator::remove_remark, 1},
      Kind{&CommandGenerator::dismiss_suggestion, 1},
      Kind{&CommandGenerator::follow, 10},
      Kind{&CommandGenerator::show_counts, 1},
      Kind{&CommandGenerator::setting, 5},
      Kind{&CommandGenerator::create_tag, 2},
      Kind{&CommandGenerator::delete_tag, 0.5},
      Kind{&CommandGenerator::tag_contact, 6},
      Kind{&CommandGenerator::create_group, 1},
      Kind{&CommandGenerator::join_group, 3},
      Kind{&CommandGenerator::leave_group, 2},
      Kind{&CommandGenerator::invite, 2},
      Kind{&CommandGenerator::rename_group, 0.5},
      Kind{&CommandGenerator::dissolve_group, 0.3},
      Kind{&CommandGenerator::change_history, 0.5},
      Kind{&CommandGenerator::change_admin, 1.5},
      Kind{&CommandGenerator::remove_from_group, 1},
      Kind{&CommandGenerator::hand_over_group, 1.5},
      Kind{&CommandGenerator::decline_invitation, 1},
      Kind{&CommandGenerator::publish_moment, 14},
      Kind{&CommandGenerator::delete_moment, 3},
      Kind{&CommandGenerator::delete_foreign_moment, 1},
      Kind{&CommandGenerator::send_message, 8},
      Kind{&CommandGenerator::send_to_group, 2},
      Kind{&CommandGenerator::answer_request, 1.5},
      Kind{&CommandGenerator::read_conversation, 2},
      Kind{&CommandGenerator::change_message_setting, 0.5},
      Kind{&CommandGenerator::create_project, 3},
      Kind{&CommandGenerator::edit_project, 4},
      Kind{&CommandGenerator::withdraw_project, 3},
      Kind{&CommandGenerator::comment, 12},
      Kind{&CommandGenerator::remove_comment, 2},
      Kind{&CommandGenerator::give_advice, 5},
      Kind{&CommandGenerator::adopt_advice, 4},
      Kind{&CommandGenerator::withdraw_advice, 2},
      Kind{&CommandGenerator::open_voting, 3},
      Kind{&CommandGenerator::close_voting, 0.3},
      Kind{&CommandGenerator::vote, 12},
      Kind{&CommandGenerator::change_profile, 5},
      Kind{&CommandGenerator::change_avatar, 1},
      Kind{&CommandGenerator::change_icon, 1},
      Kind{&CommandGenerator::visit_profile, 3},
      Kind{&CommandGenerator::sign_in, 0.3},
      Kind{&CommandGenerator::register_again, 0.05},
      Kind{&CommandGenerator::newcomer, 0.5},
      Kind{&CommandGenerator::adjust_points, 4},
      Kind{&CommandGenerator::refused, 4},
      Kind{&CommandGenerator::edit_moment, 3},
      Kind{&CommandGenerator::change_audience, 2},
      Kind{&CommandGenerator::like, 8},
      Kind{&CommandGenerator::comment_on_moment, 6},
      Kind{&CommandGenerator::delete_comment, 2},
      Kind{&CommandGenerator::bookmark, 5},
      Kind{&CommandGenerator::pin, 2},
      Kind{&CommandGenerator::visit_moment, 4},
      Kind{&CommandGenerator::visit_project, 2},
      Kind{&CommandGenerator::report, 1.5},
      Kind{&CommandGenerator::see_notifications, 2},
      Kind{&CommandGenerator::mute_notifications, 1},
      Kind{&CommandGenerator::see_timeline, 2},
      Kind{&CommandGenerator::read_messages, 3},
      Kind{&CommandGenerator::read_group, 1},
      Kind{&CommandGenerator::recall_message, 1},
      Kind{&CommandGenerator::rate_person, 3},
      Kind{&CommandGenerator::rate_project, 3},
  };
  if (choice_.max() == 0) {
    std::array<double, kKinds.size()> weights{};
    for (std::size_t i = 0; i < kKinds.size(); ++i) weights[i] = kKinds[i].weight;
    choice_ = std::discrete_distribution<std::size_t>(weights.begin(), weights.end());
  }
  return (this->*kKinds[choice_(random_)].invent)(actor);
}

Command CommandGenerator::change_profile(MemberIndex) {
  return does(
      "profile-change", "accounts",
      call_of("PATCH", "/v1/me", {{"department", text("Department")}, {"bio", text("Bio")}}), 200,
      "ProfileChanged");
}

Command CommandGenerator::change_picture(std::string kind, std::string service,
                                         const std::string& target, const char* event,
                                         std::optional<std::uint32_t>& shown) {
  std::optional<std::uint32_t> wanted;
  if (!one_in(4)) wanted = std::uniform_int_distribution<std::uint32_t>(1, kPictures)(random_);
  demo::Call call = call_of(wanted ? "PUT" : "DELETE", target);
  if (wanted) call.bytes = demo::png_of(kPixels, kPixels, *wanted);
  Command command = does(std::move(kind), std::move(service), std::move(call), wanted ? 200 : 204,
                         wanted == shown ? "" : event);
  command.learn = [&shown, wanted](const auto& reply) {
    if (acknowledged(reply)) shown = wanted;
  };
  return command;
}

Command CommandGenerator::change_avatar(MemberIndex actor) {
  return change_picture("avatar", "accounts", "/v1/me/avatar", "ProfileChanged",
                        member(actor).avatar);
}

// A query; the visit is recorded beside it, once a day, and dropped rather than waited for.
Command CommandGenerator::visit_profile(MemberIndex actor) {
  return does("profile-visit", "accounts",
              call_of("GET", "/v1/profiles/" + name(other_than(actor))), 200, "(ProfileViewed)?");
}

Command CommandGenerator::sign_in(MemberIndex actor) { return sign_in_of(member(actor).account); }

Command CommandGenerator::register_again(MemberIndex actor) {
  Command taken = registration_of(member(actor).account);
  taken.status = 409;
  taken.learn = nullptr;
  return taken;
}

Command CommandGenerator::newcomer(MemberIndex actor) {
  if (!newcomer_) {
    newcomer_.emplace().account.user_id =
        name(actor) + "n" + std::to_string(worker_) + "x" + std::to_string(++newcomers_);
    newcomer_->first_friend = actor;
    return registration_of(newcomer_->account);
  }
  Account& account = newcomer_->account;
  const MemberIndex first_friend = newcomer_->first_friend;
  Command command;
  switch (++newcomer_->step) {
    case 1:
      command = does("contact-request", "social-graph",
                     call_of("POST", "/v1/contact-requests", {{"user_id", name(first_friend)}}),
                     201, "ContactRequested");
      break;
    case 2:
      // Whether social-graph has heard of the newcomer yet, nobody knows.
      command = does("contact-accept", "social-graph",
                     call_of("POST", "/v1/contact-requests/" + account.user_id + "/accept"), 0,
                     "ContactAccepted,ContactCountChanged,ContactCountChanged");
      command.as = &member(first_friend).account;
      return command;
    case 3:
      command = does("follow", "social-graph", call_of("PUT", "/v1/follows/" + name(actor)), 200,
                     "Followed");
      break;
    case 4:
      // Every other one turns against the friend first, whether accepted or not.
      if (newcomers_ % 2 == 0) {
        command =
            does("block", "social-graph", call_of("PUT", "/v1/blocks/" + name(first_friend)), 200,
                 "BlockCountChanged,(ContactCountChanged,ContactCountChanged,ContactRemoved|"
                 "ContactRequestWithdrawn),PersonBlocked(,Unfollowed)?");
        break;
      }
      [[fallthrough]];
    case 5:
      if (newcomers_ % 2 == 0) {
        command =
            does("unblock", "social-graph", call_of("DELETE", "/v1/blocks/" + name(first_friend)),
                 204, "BlockCountChanged,PersonUnblocked");
        break;
      }
      [[fallthrough]];
    default:
      command = does("account-close", "accounts",
                     call_of("DELETE", "/v1/me", {{"password", account.password()}}), 204,
                     "AccountClosed");
      command.closes_account = true;
      command.learn = [this](const auto&) { newcomer_.reset(); };
  }
  command.as = &account;
  return command;
}

Command CommandGenerator::adjust_points(MemberIndex actor) {
  Command command = does("adjustment", "scoring",
                         call_of("POST", "/v1/points/" + name(actor) + "/adjustments",
                                 {{"delta", std::uniform_int_distribution<>(1, 20)(random_)},
                                  {"reason", text("Adjusted")}}),
                         201, "PointsAdjusted");
  command.as = &operator_;
  return command;
}

Command CommandGenerator::refused(MemberIndex actor) {
  const std::string nowhere(26, '0');
  switch (std::uniform_int_distribution<>(0, 7)(random_)) {
    case 0:
      return fails("refused", "social-graph", call_of("PUT", "/v1/follows/" + name(actor)), 422);
    case 1:
      return fails("refused", "feed",
                   call_of("POST", "/v1/messages", {{"to", name(actor)}, {"text", "To myself"}}),
                   422);
    case 2:
      return fails("refused", "feed",
                   call_of("POST", "/v1/moments",
                           {{"content", "Lists without use"},
                            {"audience", "public"},
                            {"user_ids", {name(other_than(actor))}}}),
                   422);
    case 3:
      return fails("refused", "projects",
                   call_of("POST", "/v1/projects/" + nowhere + "/comments", {{"text", "Nowhere"}}),
                   404);
    case 4:
      return fails("refused", "scoring",
                   call_of("POST", "/v1/points/" + name(actor) + "/adjustments",
                           {{"delta", 1000}, {"reason", "For myself"}}),
                   403);
    case 5:
      return fails("refused", "social-graph", call_of("POST", "/v1/tags", {{"name", ""}}), 422);
    case 6:
      return fails("refused", "accounts", call_of("PATCH", "/v1/me", {{"sex", 7}}), 422);
    default:
      return fails("refused", "feed",
                   call_of("POST", "/v1/messages", {{"to", "nobody-at-all"}, {"text", "Hello"}}),
                   404);
  }
}

}  // namespace tideline::chaos
