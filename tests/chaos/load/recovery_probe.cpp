#include "recovery_probe.hpp"

#include <thread>

#include "command_generator.hpp"

namespace tideline::chaos {
namespace {

constexpr std::chrono::milliseconds kPause{150};

// Keeps the id of what the command makes.
Command keeping_id(Command command, std::string& place) {
  command.learn = [&place](const auto& reply) {
    if (acknowledged(reply)) place = reply.json().at("id").template get<std::string>();
  };
  return command;
}

}  // namespace

RecoveryProbe::RecoveryProbe(std::string service, Account& account, Account adjuster,
                             Sender& sender, Journal& journal)
    : service_(std::move(service)),
      account_(account),
      adjuster_(std::move(adjuster)),
      sender_(sender),
      journal_(journal) {}

Command RecoveryProbe::command() {
  const std::string text = "Seen " + std::to_string(++written_);
  if (service_ == "accounts") {
    return does("profile-change", service_, call_of("PATCH", "/v1/me", {{"department", text}}), 200,
                "ProfileChanged");
  }
  if (service_ == "projects" && project_.empty()) {
    return keeping_id(does("project", service_, call_of("POST", "/v1/projects", {{"name", text}}),
                           201, "ProjectCountChanged,ProjectCreated"),
                      project_);
  }
  if (service_ == "projects") {
    return does("project-edit", service_,
                call_of("PATCH", "/v1/projects/" + project_, {{"introduction", text}}), 200,
                "ProjectEdited");
  }
  // In turns, for a person may have a thousand.
  if (service_ == "social-graph" && tag_.empty()) {
    return keeping_id(does("tag-create", service_, call_of("POST", "/v1/tags", {{"name", text}}),
                           201, "TagCountChanged,TagCreated"),
                      tag_);
  }
  if (service_ == "social-graph") {
    Command command = does("tag-delete", service_, call_of("DELETE", "/v1/tags/" + tag_), 204,
                           "TagCountChanged,TagDeleted");
    command.learn = [this](const auto& reply) {
      if (acknowledged(reply)) tag_.clear();
    };
    return command;
  }
  if (service_ == "feed") {
    return does("moment", service_,
                call_of("POST", "/v1/moments", {{"content", text}, {"audience", "private"}}), 201,
                "MomentPublished");
  }
  return does("adjustment", service_,
              call_of("POST", "/v1/points/" + account_.user_id + "/adjustments",
                      {{"delta", 1}, {"reason", text}}),
              201, "PointsAdjusted");
}

std::string RecoveryProbe::target() const {
  if (service_ == "accounts") return "/v1/profiles/" + account_.user_id;
  if (service_ == "projects") return "/v1/projects/" + project_;
  if (service_ == "social-graph") return "/v1/tags?limit=1";
  if (service_ == "feed") return "/v1/timeline?limit=1";
  return "/v1/points/me";
}

void RecoveryProbe::probe_writes(Allowance& allowance) {
  while (!allowance.is_over()) {
    sender_.carry_out(command(), service_ == "scoring" ? adjuster_ : account_);
    std::this_thread::sleep_for(kPause);
  }
}

void RecoveryProbe::probe_reads(Allowance& allowance) {
  while (!allowance.is_over()) {
    Answered sight;
    sight.begun_us = now_us();
    const auto reply = sender_.carry_out(command(), service_ == "scoring" ? adjuster_ : account_);
    if (reply && acknowledged(*reply)) {
      account_.position = reply->position;
      sight.last_attempt_us = now_us();
      sender_.read(target(), account_);
      sight.answered_us = now_us();
      sight.status = 200;
      sight.correlation_id = service_ + "." + std::to_string(written_);
      journal_.write({kSight, service_, {}, ""}, sight);
    }
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace tideline::chaos
