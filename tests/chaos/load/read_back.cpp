#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "run.hpp"
#include "sender.hpp"

namespace tideline::chaos {
namespace {

constexpr std::size_t kReaders = 8;

std::vector<Account> read_accounts(const std::string& name) {
  std::ifstream file(name);
  std::vector<Account> accounts;
  for (Account account; std::getline(file, account.user_id, '\t') &&
                        std::getline(file, account.token, '\t') &&
                        std::getline(file, account.position);) {
    accounts.push_back(account);
  }
  if (accounts.empty()) throw std::runtime_error("no accounts in " + name);
  return accounts;
}

// Follows the cursors of a list to its end.
template <class Visit>
void each_item(Sender& sender, Account& account, const std::string& target, const Visit& visit) {
  std::string page = target;
  while (true) {
    const demo::Json answer = sender.read(page, account);
    for (const demo::Json& item : answer.at("items")) visit(item);
    if (answer.at("after").is_null()) return;
    page = target + "&after=" + answer.at("after").get<std::string>();
  }
}

// Each entry with what its reader meets under it.
demo::Json timeline_of(Sender& sender, Account& account) {
  auto entries = demo::Json::array();
  each_item(sender, account, "/v1/timeline?limit=100", [&](const demo::Json& item) {
    auto entry = demo::Json::array();
    for (const char* field : {"id", "edits", "likes", "liked", "comments"}) {
      entry.push_back(item.at(field));
    }
    entries.push_back(std::move(entry));
  });
  return entries;
}

demo::Json count_of(Sender& sender, Account& account, const std::string& target) {
  std::size_t items = 0;
  each_item(sender, account, target, [&](const demo::Json&) { ++items; });
  return items;
}

}  // namespace

void read_back(const Options& options) {
  std::vector<Account> accounts = read_accounts(options.accounts);
  demo::Traffic traffic;
  Journal journal(options.journal);
  std::ofstream out(options.out);
  std::mutex mutex;
  std::exception_ptr failure;
  const auto read_some = [&](std::size_t number) {
    Sender sender(options.gateway, traffic, journal, options.run + ".b" + std::to_string(number),
                  number);
    for (std::size_t i = number; i < accounts.size(); i += kReaders) {
      Account& account = accounts[i];
      const demo::Json timeline = timeline_of(sender, account);
      const demo::Json points = sender.read("/v1/points/me", account).at("points");
      const demo::Json inbox = count_of(sender, account, "/v1/messages/inbox?limit=100");
      const demo::Json unread = sender.read("/v1/messages/inbox/unread", account).at("unread");
      const demo::Json talks = count_of(sender, account, "/v1/messages/conversations?limit=100");
      const std::lock_guard lock(mutex);
      out << account.user_id << "\ttimeline\t" << timeline << '\n';
      out << account.user_id << "\tpoints\t" << points << '\n';
      out << account.user_id << "\tinbox\t" << inbox << '\n';
      out << account.user_id << "\tunread\t" << unread << '\n';
      out << account.user_id << "\tconversations\t" << talks << '\n';
    }
  };
  std::vector<std::thread> readers;
  for (std::size_t number = 0; number < kReaders; ++number) {
    readers.emplace_back([&, number] {
      try {
        read_some(number);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  if (failure) std::rethrow_exception(failure);
  if (!out.flush()) throw std::runtime_error("cannot write " + options.out);
}

}  // namespace tideline::chaos
