#include "accounts/cli/sign_up_operations.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "accounts/api/account_fields.hpp"
#include "accounts/api/email_codes.hpp"
#include "accounts/api/server_commands.hpp"
#include "core/text.hpp"
#include "runtime/composition.hpp"

namespace tideline::accounts {
namespace {

constexpr std::size_t kWriters = 16;  // so that the store commits their appends together

struct Student {
  std::string user_id;
  std::string email;
};

int failed(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  return 1;
}

// All of the file, or what is wrong with it.
core::Result<std::vector<Student>> read_students(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) return core::invalid_input("cannot read " + file);
  std::vector<Student> students;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || (number == 1 && line == "user_id,email")) continue;
    const auto comma = line.find(',');
    const std::string user_id = line.substr(0, comma);
    const std::string email = comma == std::string::npos ? "" : line.substr(comma + 1);
    if (!core::is_user_id(user_id) || !http::is_valid_utf8(email) || !looks_like_email(email)) {
      return core::invalid_input(file + ": line " + std::to_string(number) +
                                 " is not user_id,email");
    }
    students.push_back({user_id, email});
  }
  return students;
}

int import(runtime::RunningService& service, const std::string& file, const std::stop_token& stop) {
  const auto students = read_students(file);
  if (!students) return failed(students.error().message);
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stuck{false};
  const crypto::AccountIds& ids = service.account_ids();
  const auto write = [&] {
    for (std::size_t i = next++; i < students->size() && !stop.stop_requested(); i = next++) {
      const Student& student = students->at(i);
      const auto enrolled = enrol(service.store(), service.clock().now(), ids.of(student.user_id),
                                  address_of(ids, student.email));
      if (enrolled) {
        ++done;
      } else if (!stuck.exchange(true)) {
        failed(student.user_id + ": " + enrolled.error().message);
      }
    }
  };
  std::vector<std::jthread> writers;
  for (std::size_t i = 0; i < kWriters; ++i) writers.emplace_back(write);
  writers.clear();
  std::printf("%zu of %zu are on the list\n", done.load(), students->size());
  return done == students->size() ? 0 : 1;
}

struct Invitation {
  std::vector<std::string> user_ids;
  int days = 30;
};

int invite(runtime::RunningService& service, const Settings& settings, const Invitation& wanted) {
  if (!settings.codes) return failed("TIDELINE_CODE_KEY_FILE is not set");
  const EmailCodes codes({.codes = settings.codes}, service.clock());
  for (const std::string& user_id : wanted.user_ids) {
    if (!core::is_user_id(user_id)) return failed(user_id + " is no user_id");
    const auto code =
        codes.invitation(service.account_ids().of(user_id), std::chrono::hours(24) * wanted.days);
    std::printf("%s %s\n", user_id.c_str(), code.c_str());
  }
  return 0;
}

runtime::Operation::Run declare_import(CLI::App& command) {
  auto file = std::make_shared<std::string>();
  command.add_option("FILE", *file, "lines of user_id,email")->required();
  return [file](runtime::RunningService& service, std::stop_token stop) {
    return import(service, *file, stop);
  };
}

}  // namespace

runtime::Operation enrol_operation() {
  return {"import", "a list of those who may register, each with an e-mail address",
          declare_import};
}

runtime::Operation invite_operation(const Settings& settings) {
  return {"invite", "print codes with which these user_ids can be registered",
          [&settings](CLI::App& command) -> runtime::Operation::Run {
            auto wanted = std::make_shared<Invitation>();
            command.add_option("USER_ID", wanted->user_ids)->required();
            command.add_option("--days", wanted->days, "so long they are good (30)")
                ->check(CLI::Range(1, 365));
            return [&settings, wanted](runtime::RunningService& service, std::stop_token) {
              return invite(service, settings, *wanted);
            };
          }};
}

}  // namespace tideline::accounts
