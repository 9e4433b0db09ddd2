#include "http/reactors.hpp"

#include <pistache/peer.h>
#include <pistache/reactor.h>
#include <pistache/tcp.h>
#include <pistache/transport.h>
#include <unistd.h>

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

// Counts the threads that are between being woken and having handed over what they read.
class CountingTransport final : public tcp::Transport {
 public:
  CountingTransport(const std::shared_ptr<tcp::Handler>& handler,
                    std::shared_ptr<std::atomic<int>> reading)
      : Transport(handler), handler_(handler), reading_(std::move(reading)) {}

  void onReady(const aio::FdSet& descriptors) override {
    const Turn turn(*reading_);
    Transport::onReady(descriptors);
  }

  std::shared_ptr<aio::Handler> clone() const override {
    return std::make_shared<CountingTransport>(handler_->clone(), reading_);
  }

 private:
  class Turn {
   public:
    explicit Turn(std::atomic<int>& reading) : reading_(reading) { ++reading_; }
    ~Turn() { --reading_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<int>& reading_;
  };

  std::shared_ptr<tcp::Handler> handler_;
  std::shared_ptr<std::atomic<int>> reading_;
};

}  // namespace

struct Reactors::Impl {
  std::shared_ptr<aio::Reactor> reactor;
  std::vector<std::shared_ptr<tcp::Transport>> transports;  // one a thread
  std::atomic<std::size_t> next{0};
  std::shared_ptr<std::atomic<int>> reading = std::make_shared<std::atomic<int>>(0);
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
        std::make_shared<CountingTransport>(std::make_shared<SinkHandler>(), impl->reading));
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
  std::shared_ptr<tcp::Peer> peer;
  try {
    // Nobody asks for a peer's address: the gateway's it would be.
    peer = tcp::Peer::Create(descriptor, Pistache::Address());
    peer->putData(kSinkKey, std::move(sink));
    const std::size_t turn = impl_->next.fetch_add(1, std::memory_order_relaxed);
    impl_->transports[turn % impl_->transports.size()]->handleNewPeer(peer);
  } catch (const std::exception& error) {
    // A peer that the thread has got nevertheless is closed by it.
    if (!peer || peer.use_count() == 1) close(descriptor);
    return core::unavailable(std::string("a connection could not be taken over: ") + error.what());
  }
  return core::success();
}

bool Reactors::reading() const { return impl_ && *impl_->reading != 0; }

void Reactors::stop() {
  if (!impl_) return;
  impl_->reactor->shutdown();
  impl_.reset();
}

}  // namespace tideline::http
