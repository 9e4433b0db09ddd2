#include "http/routing/worker_queue.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "http/messages/problem.hpp"

namespace tideline::http {
namespace {

// Waits for the answer as the server does, without being called back.
class Asked final : public DeferredResponse::Listener, public std::enable_shared_from_this<Asked> {
 public:
  Response answer(const Response& response) {
    if (!response.deferred) return response;
    response.deferred->attach(weak_from_this());
    given_.get_future().wait();
    return *response.deferred->take();
  }
  void on_deferred_response() override { given_.set_value(); }

 private:
  std::promise<void> given_;
};

Response answer_of_worker(const Response& response) {
  return std::make_shared<Asked>()->answer(response);
}

TEST(WorkerQueue, HandlesOnAThreadOfItsOwn) {
  WorkerQueue queue(4);
  std::thread::id handled_by;
  const Handler handler = queue.around([&](const Request&) {
    handled_by = std::this_thread::get_id();
    return Response::no_content();
  });
  const Request request;
  std::jthread worker([&](const std::stop_token& stop) { queue.run(stop); });
  EXPECT_EQ(answer_of_worker(handler(request)).status, 204);
  EXPECT_EQ(handled_by, worker.get_id());
}

TEST(WorkerQueue, RefusesAtOnceWhatFindsItFull) {
  WorkerQueue queue(2);
  std::latch may_go_on(1);
  const Handler handler = queue.around([&](const Request&) {
    may_go_on.wait();
    return Response::no_content();
  });
  const Request request;
  std::vector<Response> waiting;
  waiting.push_back(handler(request));
  waiting.push_back(handler(request));
  const Response refused = handler(request);
  EXPECT_FALSE(refused.deferred);
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.headers.find("Retry-After"));
  EXPECT_EQ(queue.waiting(), 2U);
  std::jthread worker([&](const std::stop_token& stop) { queue.run(stop); });
  may_go_on.count_down();
  for (const Response& response : waiting) EXPECT_EQ(answer_of_worker(response).status, 204);
  EXPECT_EQ(answer_of_worker(handler(request)).status, 204) << "there is room again";
}

TEST(WorkerQueue, AnswersWhatWaitsBeforeItStops) {
  WorkerQueue queue(2);
  const Handler handler = queue.around([](const Request&) { return Response::no_content(); });
  const Request request;
  const Response waiting = handler(request);
  std::stop_source stopped;
  stopped.request_stop();
  queue.run(stopped.get_token());
  EXPECT_EQ(answer_of_worker(waiting).status, 204);
  EXPECT_EQ(handler(request).status, 503);
}

TEST(WorkerQueue, TurnsWhatAHandlerThrowsIntoAnAnswer) {
  WorkerQueue queue(2);
  const Handler refuses = queue.around([](const Request&) -> Response { refuse(not_found()); });
  const Handler fails =
      queue.around([](const Request&) -> Response { throw std::runtime_error("broken"); });
  const Request request;
  const Response refused = refuses(request);
  const Response failed = fails(request);
  std::stop_source stopped;
  stopped.request_stop();
  queue.run(stopped.get_token());
  EXPECT_EQ(answer_of_worker(refused).status, 404);
  EXPECT_EQ(answer_of_worker(failed).status, 500);
}

}  // namespace
}  // namespace tideline::http
