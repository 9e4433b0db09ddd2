// Stands between a client and PostgreSQL on 127.0.0.1 and cuts the connection when a text passes on
// its way to the server: before it gets there, or after it did and before the answer comes back. It
// can also hold the client at that point until the client goes away: who is killed then has died
// exactly there. Or it lets go of the client alone, so that the server still waits for the rest.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tideline::postgres::testing {

enum class Cut { Never, BeforeServer, AfterServer, HoldBeforeServer, HoldAfterServer, ClientOnly };

class CuttingProxy {
 public:
  explicit CuttingProxy(int server_port);
  ~CuttingProxy();

  int port() const { return port_; }
  // The next time that `text` passes; once, then Never again.
  void cut_at(const std::string& text, Cut cut);
  // Accepts no connection any more, or again.
  void refuse(bool refusing) { refusing_ = refusing; }
  // From the next cuts on, refuse; or no more.
  void refuse_after_cut(bool refusing = true) { refuse_after_cut_ = refusing; }
  int cuts() const { return cuts_; }
  // Whether there are more than that many cuts, or soon are.
  bool await_cut_after(int cuts, std::chrono::milliseconds timeout);

 private:
  void accept_all();
  void serve(int client);
  Cut cut_of(const std::string& passing);
  void count_cut();

  const int server_port_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> refusing_{false};
  std::atomic<bool> refuse_after_cut_{false};
  std::atomic<int> cuts_{0};
  std::mutex mutex_;
  std::condition_variable was_cut_;
  std::string text_;
  Cut cut_ = Cut::Never;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace tideline::postgres::testing
