#include "http/reactors.hpp"

#include <pistache/peer.h>
#include <pistache/reactor.h>
#include <pistache/tcp.h>
#include <pistache/transport.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
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

// What the threads have in common.
struct Turns {
  TurnListener& listener;
  // Threads that are between being woken and having handed over what they read.
  std::atomic<int> reading{0};
};

class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) {
    ++turns_.reading;
    turns_.listener.on_turn_begin();
  }
  ~Turn() {
    turns_.listener.on_turn_end();
    --turns_.reading;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

// Pistache's transport, which tells of its turns and polls a descriptor besides its connections.
class WatchingTransport final : public tcp::Transport {
 public:
  WatchingTransport(const std::shared_ptr<tcp::Handler>& handler, std::shared_ptr<Turns> turns)
      : Transport(handler), handler_(handler), turns_(std::move(turns)) {}

  void onReady(const aio::FdSet& descriptors) override {
    const Turn turn(*turns_);
    Transport::onReady(descriptors);
    for (const auto& ready : descriptors) notify(ready.getTag());
  }

  std::shared_ptr<aio::Handler> clone() const override {
    return std::make_shared<WatchingTransport>(handler_->clone(), turns_);
  }

  void watch(int descriptor, std::function<void()> on_readable) {
    {
      std::lock_guard lock(mutex_);
      on_readable_ = std::move(on_readable);
      watched_ = descriptor;
    }
    reactor()->registerFd(key(), descriptor, Pistache::Polling::NotifyOn::Read,
                          Pistache::Polling::Tag(static_cast<std::uint64_t>(descriptor)));
  }

  void unwatch(int descriptor) {
    reactor()->removeFd(key(), descriptor);
    watched_ = kNothing;
  }

 private:
  static constexpr int kNothing = -1;

  // The transport itself passes over descriptors that it does not know.
  void notify(Pistache::Polling::Tag tag) {
    if (watched_ == kNothing || tag.value() != static_cast<std::uint64_t>(watched_)) return;
    std::function<void()> on_readable;
    {
      std::lock_guard lock(mutex_);
      on_readable = on_readable_;
    }
    on_readable();
  }

  std::shared_ptr<tcp::Handler> handler_;
  std::shared_ptr<Turns> turns_;
  std::atomic<int> watched_{kNothing};
  std::mutex mutex_;
  std::function<void()> on_readable_;
};

}  // namespace

struct Reactors::Impl {
  std::shared_ptr<aio::Reactor> reactor;
  std::vector<std::shared_ptr<WatchingTransport>> transports;  // one a thread
  std::atomic<std::size_t> next{0};
  std::shared_ptr<Turns> turns;
};

Reactors::Reactors() = default;

Reactors::~Reactors() { stop(); }

core::Status Reactors::start(std::size_t threads, TurnListener& turns) {
  CHECK(!impl_, "the reactors run already");
  auto impl = std::make_unique<Impl>();
  impl->turns = std::make_shared<Turns>(turns);
  try {
    impl->reactor = aio::Reactor::create();
    impl->reactor->init(aio::AsyncContext(threads, "http-reactor"));
    const auto key = impl->reactor->addHandler(
        std::make_shared<WatchingTransport>(std::make_shared<SinkHandler>(), impl->turns));
    impl->reactor->run();
    for (const auto& handler : impl->reactor->handlers(key)) {
      impl->transports.push_back(std::static_pointer_cast<WatchingTransport>(handler));
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

core::Status Reactors::watch(int descriptor, std::function<void()> on_readable) {
  CHECK(impl_, "the reactors do not run");
  try {
    impl_->transports.front()->watch(descriptor, std::move(on_readable));
  } catch (const std::exception& error) {
    return core::unavailable(std::string("a descriptor cannot be watched: ") + error.what());
  }
  return core::success();
}

void Reactors::unwatch(int descriptor) {
  CHECK(impl_, "the reactors do not run");
  impl_->transports.front()->unwatch(descriptor);
}

bool Reactors::reading() const { return impl_ && impl_->turns->reading != 0; }

void Reactors::stop() {
  if (!impl_) return;
  impl_->reactor->shutdown();
  impl_.reset();
}

}  // namespace tideline::http
