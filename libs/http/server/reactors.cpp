#include "http/server/reactors.hpp"

#include <pistache/reactor.h>

#include <string>
#include <vector>

#include "core/check.hpp"

namespace tideline::http {
namespace {

namespace aio = Pistache::Aio;
namespace polling = Pistache::Polling;

// One copy per reactor thread. An exception that left onReady would end the thread: none may.
class Loop final : public aio::Handler {
 public:
  explicit Loop(ReadinessListener& listener) : listener_(listener) {}

  void onReady(const aio::FdSet& ready) noexcept override {
    listener_.on_turn_begin();
    for (const auto& entry : ready) listener_.on_readable(entry.getTag().value());
    listener_.on_turn_end();
  }

  void registerPoller(polling::Epoll&) override {}

  std::shared_ptr<aio::Handler> clone() const override { return std::make_shared<Loop>(listener_); }

  void watch(std::uint64_t id, int descriptor) {
    reactor()->registerFd(key(), descriptor, polling::NotifyOn::Read, polling::Tag(id));
  }

  void unwatch(int descriptor) { reactor()->removeFd(key(), descriptor); }

 private:
  ReadinessListener& listener_;
};

}  // namespace

struct Reactors::Impl {
  std::shared_ptr<aio::Reactor> reactor;
  std::vector<std::shared_ptr<Loop>> loops;  // one a thread

  [[nodiscard]] Loop& loop_of(std::uint64_t id) const { return *loops[id % loops.size()]; }
};

Reactors::Reactors() = default;

Reactors::~Reactors() { stop(); }

core::Status Reactors::start(std::size_t threads, ReadinessListener& listener) {
  CHECK(!impl_, "the reactors run already");
  auto impl = std::make_unique<Impl>();
  try {
    impl->reactor = aio::Reactor::create();
    impl->reactor->init(aio::AsyncContext(threads, "http-reactor"));
    const auto key = impl->reactor->addHandler(std::make_shared<Loop>(listener));
    impl->reactor->run();
    for (const auto& handler : impl->reactor->handlers(key)) {
      impl->loops.push_back(std::static_pointer_cast<Loop>(handler));
    }
  } catch (const std::exception& error) {
    return core::internal_error(std::string("the reactors do not start: ") + error.what());
  }
  impl_ = std::move(impl);
  return core::success();
}

core::Status Reactors::watch(std::uint64_t id, int descriptor) {
  CHECK(impl_, "the reactors do not run");
  try {
    impl_->loop_of(id).watch(id, descriptor);
  } catch (const std::exception& error) {
    return core::unavailable(std::string("a descriptor cannot be watched: ") + error.what());
  }
  return core::success();
}

void Reactors::unwatch(std::uint64_t id, int descriptor) {
  CHECK(impl_, "the reactors do not run");
  impl_->loop_of(id).unwatch(descriptor);
}

void Reactors::stop() {
  if (!impl_) return;
  impl_->reactor->shutdown();
  impl_.reset();
}

}  // namespace tideline::http
