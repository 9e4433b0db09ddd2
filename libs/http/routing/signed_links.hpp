// Links: addresses of one thing that are good without a token, for some time. An <img> cannot send
// a header, so it is given such an address:
//
//   GET /v1/projects/{id}/icon  ->  {"icon": "...", "icon_link": links.to(path, request.account())}
//   router.add(Method::Get, ".../icon/{hash}", Access::SignedInOrLink, handler)
//
// "<path>?reader=<account id>&expires=<seconds since 1970>&signature=<mac>". A link reads as the
// one who was given it: the handler asks whether the reader may see the thing now, as it asks for a
// token, so what is withdrawn from the reader is withdrawn from the link. It opens this path alone
// and changes nothing. Who passes a link on passes on what its reader may see there until it ends.
//
// All links that are made within one half hour end together, so that equal answers have equal
// addresses and a browser finds what it has kept.
//
// Immutable: any number of threads may share one. Nothing here blocks, but for what `seal` does.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "http/messages/message.hpp"
#include "http/messages/text_seal.hpp"

namespace tideline::http {

class SignedLinks {
 public:
  // A link is good for more than one of these, and for two at most.
  static constexpr std::chrono::minutes kPeriod{30};

  // `clock` must outlive this.
  SignedLinks(TextSeal seal, const core::Clock& clock) : seal_(std::move(seal)), clock_(clock) {}

  // `path` as it stands in an address: without what would have to be escaped there.
  [[nodiscard]] std::string to(std::string_view path, const core::AccountId& reader) const;

  struct Link {
    core::AccountId reader;
    core::Timestamp ends;
  };
  // Whether the request bears the parameters of a link, good or not.
  [[nodiscard]] static bool is_in(const Request& request);
  // The link by which the request comes; nullopt: it was not made for this path, or has ended.
  [[nodiscard]] std::optional<Link> find(const Request& request) const;

 private:
  TextSeal seal_;
  const core::Clock& clock_;
};

}  // namespace tideline::http
