#include <pistache/endpoint.h>
#include <unistd.h>

#include "bench/http_servers.hpp"

namespace tideline::bench {
namespace {

namespace Web = Pistache::Http;

class SmallAnswer final : public Web::Handler {
  HTTP_PROTOTYPE(SmallAnswer)

  void onRequest(const Web::Request& request, Web::ResponseWriter response) override {
    if (request.resource() != "/small") {
      response.send(Web::Code::Not_Found);
      return;
    }
    response.send(Web::Code::Ok, std::string(kSmallJson), MIME(Application, Json));
  }
};

}  // namespace

int serve_with_pistache() {
  Web::Endpoint endpoint(Pistache::Address("127.0.0.1", Pistache::Port(0)));
  endpoint.init(Web::Endpoint::options().threads(1).flags(Pistache::Tcp::Options::NoDelay));
  endpoint.setHandler(Web::make_handler<SmallAnswer>());
  endpoint.serveThreaded();
  announce(endpoint.getPort());
  pause();
  return 0;
}

}  // namespace tideline::bench
