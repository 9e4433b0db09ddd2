// A stream of server-sent events to one client: what a handler answers with when there is more to
// come (WHATWG HTML 9.2, media type text/event-stream).
//
//   auto stream = std::make_shared<EventStream>();
//   for (const Event& missed : events_after(request.header("Last-Event-ID"))) stream->send(missed);
//   subscribers.add(stream);               // a weak_ptr is enough: the connection keeps the stream
//   return Response::event_stream(std::move(stream));
//
// Any thread may send at any time, also before the handler has returned; events leave in the order
// of the calls. What the client has not taken is kept in a bounded buffer: a client that is too
// slow for it is dropped, never waited for. The server sends comments while there is nothing else,
// so that dead connections show themselves, and ends its streams when it drains: clients come back
// with the id of the last event that they saw.
//
// Threads: all. Nothing here waits; send() may write to the client's socket.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tideline::http {

struct Event {
  std::string id;    // what the client names in Last-Event-ID; empty: the event has none
  std::string type;  // empty: "message"
  std::string data;  // any UTF-8 text; its lines become lines of the event
};

// The event as it goes over the wire. CHECKs that id and type are one line without NUL bytes.
[[nodiscard]] std::string to_wire(const Event& event);

inline constexpr std::size_t kEventStreamBytesMax = 256 * 1024;

class EventStream {
 public:
  enum class State { Open, Closed, Overrun };

  // `bytes_max`: what may wait for the client, besides what its socket has taken.
  explicit EventStream(std::size_t bytes_max = kEventStreamBytesMax);
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // False when the stream is over: closed, client gone, or too slow for this event.
  bool send(const Event& event);
  // Ends the stream behind what has been sent. Idempotent.
  void close();
  [[nodiscard]] bool is_open() const { return state() == State::Open; }
  // Whether the token under which the stream was opened has expired or was revoked: from then on
  // the one that sends is to close it. The router sets how to ask; false for a public route, and
  // before the handler has returned.
  void end_when(std::function<bool()> token_ended);
  [[nodiscard]] bool token_ended() const;

  // Below: for the server.

  // Told when there is something to take, on the thread that has sent it.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_stream() = 0;
  };
  // From now on the listener is told once for each time that something lies in an empty buffer.
  void attach(std::weak_ptr<Listener> listener);

  struct Portion {
    std::string bytes;
    State state;  // Closed: these are the last bytes. Overrun: they are not all.
  };
  // What has been sent since the last call.
  [[nodiscard]] Portion take();
  [[nodiscard]] State state() const;
  // Nobody listens any more.
  void abandon();

 private:
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  State state_ = State::Open;
  std::function<bool()> token_ended_;
  std::string waiting_;
  std::weak_ptr<Listener> listener_;
};

}  // namespace tideline::http
