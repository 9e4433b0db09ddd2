#include "http/reactors.hpp"

#include <pistache/peer.h>
#include <pistache/reactor.h>
#include <pistache/tcp.h>
#include <pistache/transport.h>

#include <atomic>
#include <string>
#include <vector>

#include "core/check.hpp"

namespace tideline::http {
namespace {

namespace aio = Pistache::Aio;
namespace tcp = Pistache::Tcp;

constexpr const char* kSinkKey = "sink";

// One copy per reactor thread. An exception that left these would end the thread: none may.
class SinkHandler final : public tcp::Handler {
  PROTOTYPE_OF(tcp::Handler, SinkHandler)

 public:
  void onInput(const char* buffer, std::size_t length,
               const std::shared_ptr<tcp::Peer>& peer) noexcept override {
    if (const auto sink = sink_of(*peer)) sink->on_bytes({buffer, length});
  }

  void onDisconnection(const std::shared_ptr<tcp::Peer>& peer) noexcept override {
    if (const auto sink = sink_of(*peer)) sink->on_end();
  }

 private:
  static std::shared_ptr<ByteSink> sink_of(const tcp::Peer& peer) {
    return std::static_pointer_cast<ByteSink>(peer.tryGetData(kSinkKey));
  }
};

}  // namespace

struct Reactors::Impl {
  std::shared_ptr<aio::Reactor> reactor;
  std::vector<std::shared_ptr<tcp::Transport>> transports;  // one a thread
  std::atomic<std::size_t> next{0};
};

Reactors::Reactors() = default;

Reactors::~Reactors() { stop(); }

core::Status Reactors::start(std::size_t threads) {
  CHECK(!impl_, "the reactors run already");
  auto impl = std::make_unique<Impl>();
  try {
    impl->reactor = aio::Reactor::create();
    impl->reactor->init(aio::AsyncContext(threads, "http-reactor"));
    const auto key = impl->reactor->addHandler(
        std::make_shared<tcp::Transport>(std::make_shared<SinkHandler>()));
    impl->reactor->run();
    for (const auto& handler : impl->reactor->handlers(key)) {
      impl->transports.push_back(std::static_pointer_cast<tcp::Transport>(handler));
    }
  } catch (const std::exception& error) {
    return core::internal_error(std::string("the reactors do not start: ") + error.what());
  }
  impl_ = std::move(impl);
  return core::success();
}

core::Status Reactors::adopt(int descriptor, std::shared_ptr<ByteSink> sink) {
  CHECK(impl_, "the reactors do not run");
  try {
    // Nobody asks for a peer's address: the gateway's it would be.
    const auto peer = tcp::Peer::Create(descriptor, Pistache::Address());
    peer->putData(kSinkKey, std::move(sink));
    const std::size_t turn = impl_->next.fetch_add(1, std::memory_order_relaxed);
    impl_->transports[turn % impl_->transports.size()]->handleNewPeer(peer);
  } catch (const std::exception& error) {
    return core::unavailable(std::string("a connection could not be taken over: ") + error.what());
  }
  return core::success();
}

void Reactors::stop() {
  if (!impl_) return;
  impl_->reactor->shutdown();
  impl_.reset();
}

}  // namespace tideline::http
