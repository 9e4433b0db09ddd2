#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "allowance.hpp"
#include "command_generator.hpp"
#include "recovery_probe.hpp"
#include "run.hpp"

namespace tideline::chaos {
namespace {

// Hashing passwords is slow on purpose; more threads would only wait.
constexpr std::size_t kRegistrars = 4;
constexpr std::chrono::milliseconds kReportEvery{500};

class Load {
 public:
  explicit Load(const Options& options) : options_(options), journal_(options.journal) {
    campus_.members.resize(options.people);
    for (std::size_t i = 0; i < options.people; ++i) {
      campus_.members[i].account.user_id = options.run + "-" + std::to_string(i);
    }
    operator_.user_id = options.run + "-operator";
    for (const std::string role : {"-knocks-", "-sees-"}) {
      for (const std::string service : kServices) {
        probes_.emplace_back().user_id = options.run + role + service;
      }
    }
  }

  void gather();
  void work();
  void write_accounts() const;
  Journal& journal() { return journal_; }

 private:
  Sender sender(const std::string& role, std::size_t number) {
    return {options_.gateway, traffic_, journal_,
            options_.run + "." + role + std::to_string(number), options_.seed * 1000 + number};
  }
  // fn(number) on `count` threads; the first exception is thrown again here.
  template <class Fn>
  static void on_threads(std::size_t count, const Fn& fn);
  void one_worker(std::size_t worker);
  void one_witness(std::size_t number);
  void obey_and_report();

  const Options& options_;
  demo::Traffic traffic_;
  Journal journal_;
  Allowance allowance_;
  Campus campus_;
  Account operator_;
  std::vector<Account> probes_;  // of each of kServices one that knocks, then those that look
};

template <class Fn>
void Load::on_threads(std::size_t count, const Fn& fn) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::exception_ptr failure;
  for (std::size_t number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      try {
        fn(number);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Everybody is registered, and known to every service.
void Load::gather() {
  const auto must_register = [](Sender& sender, Account& account) {
    const auto reply = sender.carry_out(registration_of(account), account);
    if (!reply || reply->status != 201) {
      throw demo::UnexpectedAnswer(account.user_id +
                                   " cannot be registered: " + (reply ? reply->body : "no answer"));
    }
  };
  on_threads(kRegistrars, [&](std::size_t number) {
    Sender registrar = sender("r", number);
    if (number == 0) must_register(registrar, operator_);
    for (std::size_t i = number; i < probes_.size(); i += kRegistrars) {
      must_register(registrar, probes_[i]);
    }
    for (std::size_t i = number; i < campus_.members.size(); i += kRegistrars) {
      must_register(registrar, campus_.members[i].account);
    }
  });
  on_threads(kRegistrars, [&](std::size_t number) {
    Sender reader = sender("g", number);
    for (std::size_t i = number; i < campus_.members.size(); i += kRegistrars) {
      Account& account = campus_.members[i].account;
      // Scoring's directory of people answers the last one.
      for (const std::string& target :
           {std::string("/v1/contacts?limit=1"), std::string("/v1/timeline?limit=1"),
            "/v1/moments?limit=1&author=" + account.user_id,
            "/v1/projects?limit=1&author=" + account.user_id, "/v1/points/" + account.user_id}) {
        reader.read(target, account);
      }
    }
  });
}

void Load::one_worker(std::size_t worker) {
  Sender sender = this->sender("w", worker);
  Account own_operator = operator_;
  own_operator.token.clear();  // a session of his own, opened when it is needed
  CommandGenerator generator(campus_, own_operator, worker, options_.workers, sender.random());
  while (allowance_.take()) {
    const MemberIndex actor = generator.draw_actor();
    Command command = generator.draw(actor);
    Account& account = command.as ? *command.as : campus_.members[actor].account;
    sender.carry_out(std::move(command), account);
  }
}

void Load::one_witness(std::size_t number) {
  Sender sender = this->sender("s", number);
  Account own_operator = operator_;
  own_operator.token.clear();
  RecoveryProbe probe(kServices[number % kServices.size()], probes_[number], own_operator, sender,
                      journal_);
  if (number < kServices.size()) return probe.probe_writes(allowance_);
  probe.probe_reads(allowance_);
}

void Load::obey_and_report() {
  std::atomic<bool> over{false};
  std::thread reporter([&] {
    while (!over) {
      std::printf("done %llu %lld %llu\n", static_cast<unsigned long long>(journal_.commands()),
                  static_cast<long long>(journal_.all_seen_since_us()),
                  static_cast<unsigned long long>(journal_.failures()));
      for (const auto& [failure, count] : journal_.take_failures()) {
        std::printf("failed %llu %s\n", static_cast<unsigned long long>(count), failure.c_str());
      }
      journal_.flush();
      std::this_thread::sleep_for(kReportEvery);
    }
  });
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    std::uint64_t commands = 0;
    if (words >> verb >> commands && verb == "allow") allowance_.raise_to(commands);
  }
  allowance_.end();
  over = true;
  reporter.join();
}

void Load::work() {
  std::printf("ready\n");
  // Somebody gives the operator that role now: whoever signs in before has it not.
  for (std::string line; std::getline(std::cin, line) && line != "begin";) continue;
  std::thread boss([this] { obey_and_report(); });
  const auto finish = [&] { boss.join(); };
  try {
    on_threads(options_.workers + probes_.size(), [this](std::size_t number) {
      if (number < options_.workers) return one_worker(number);
      one_witness(number - options_.workers);
    });
  } catch (...) {
    std::fprintf(stderr, "a worker of the load failed; it ends when it is told to\n");
    finish();
    throw;
  }
  finish();
  journal_.flush();
}

void Load::write_accounts() const {
  std::ofstream file(options_.accounts);
  for (const Member& member : campus_.members) {
    file << member.account.user_id << '\t' << member.account.token << '\t'
         << member.account.position << '\n';
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + options_.accounts);
}

}  // namespace

void run_load(const Options& options) {
  Load load(options);
  load.gather();
  load.work();
  load.write_accounts();
  demo::Json by_status = demo::Json::object();
  for (const auto& [status, count] : load.journal().attempts()) {
    by_status[status == 0 ? "none" : std::to_string(status)] = count;
  }
  std::printf("%s\n", demo::Json{{"attempts", by_status}}.dump().c_str());
}

}  // namespace tideline::chaos
