#include <fstream>
#include <mutex>
#include <thread>
#include <utility>
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

// What he is told, without how it is called: kind, moment, how many people, whether it is unread.
demo::Json notifications_of(Sender& sender, Account& account) {
  auto told = demo::Json::array();
  each_item(sender, account, "/v1/notifications?limit=100", [&](const demo::Json& item) {
    auto one = demo::Json::array();
    for (const char* field : {"kind", "moment_id", "people_count", "unread"}) {
      one.push_back(item.at(field));
    }
    told.push_back(std::move(one));
  });
  return told;
}

// Of moments that a list has, "/v1/moments/search?limit=100&query=chaos".
demo::Json moments_in(Sender& sender, Account& account, const std::string& target) {
  auto ids = demo::Json::array();
  each_item(sender, account, target, [&](const demo::Json& item) {
    ids.push_back(item.contains("moment") ? item.at("moment").at("id") : item.at("id"));
  });
  return ids;
}

// The id of the moment that his own page shows first; null: none.
demo::Json pinned_of(Sender& sender, Account& account) {
  const demo::Json answer = sender.read("/v1/moments/pinned?author=" + account.user_id, account);
  const demo::Json& moment = answer.at("moment");
  return moment.is_null() ? moment : moment.at("id");
}

demo::Json count_of(Sender& sender, Account& account, const std::string& target) {
  std::size_t items = 0;
  each_item(sender, account, target, [&](const demo::Json&) { ++items; });
  return items;
}

std::vector<std::pair<const char*, demo::Json>> everything_of(Sender& sender, Account& account) {
  const auto count = [&](const std::string& target) { return count_of(sender, account, target); };
  const auto moments = [&](const std::string& target) {
    return moments_in(sender, account, target);
  };
  const auto field = [&](const std::string& target, const char* name) {
    return sender.read(target, account).at(name);
  };
  return {{"timeline", timeline_of(sender, account)},
          {"points", field("/v1/points/me", "points")},
          {"inbox", count("/v1/messages/inbox?limit=100")},
          {"unread", field("/v1/messages/inbox/unread", "unread")},
          {"conversations", count("/v1/messages/conversations?limit=100")},
          {"notifications", notifications_of(sender, account)},
          {"untold", field("/v1/notifications/unread", "unread")},
          {"bookmarks", moments("/v1/moments/bookmarks?limit=100")},
          {"pinned", pinned_of(sender, account)},
          // Words that the load alone writes: into moments, and into what they are edited to.
          {"found", moments("/v1/moments/search?limit=100&query=chaos")},
          {"topic", moments("/v1/moments/topic?limit=100&name=chaos")},
          {"edited", moments("/v1/moments/search?limit=100&query=edited")},
          {"topics", field("/v1/moments/topics", "items")},
          {"projects", count("/v1/projects?limit=100&query=project")}};
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
      const auto read = everything_of(sender, accounts[i]);
      const std::lock_guard lock(mutex);
      for (const auto& [what, value] : read) {
        out << accounts[i].user_id << '\t' << what << '\t' << value << '\n';
      }
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
