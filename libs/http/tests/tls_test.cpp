// The server in TLS, over real sockets: who is let in, and that the rest of it goes on as in clear.
#include <openssl/ssl.h>

#include <fstream>
#include <future>

#include "http/client/client.hpp"
#include "running_server.hpp"
#include "test_authority.hpp"
#include "test_client.hpp"

namespace tideline::http::testing {
namespace {

// Blocks; reads as slowly as its kernel's small buffer makes it.
class TlsTestClient {
 public:
  TlsTestClient(std::uint16_t port, const TlsIdentity* identity)
      : plain_(port, 4096), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    if (identity != nullptr) {
      EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context_.get(), identity->certificate.c_str()),
                1);
      EXPECT_EQ(
          SSL_CTX_use_PrivateKey_file(context_.get(), identity->key.c_str(), SSL_FILETYPE_PEM), 1);
    }
    const timeval deadline{10, 0};
    setsockopt(plain_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    setsockopt(plain_.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
    session_.reset(SSL_new(context_.get()));
    SSL_set_fd(session_.get(), plain_.descriptor());
    connected_ = SSL_connect(session_.get()) == 1;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    std::size_t sent = 0;
    return SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sent) == 1;
  }
  // Until `count` bytes are there, or the server has said that it ends, or broken off.
  std::string receive(std::size_t count) {
    std::string received;
    std::array<char, 8192> bytes{};
    std::size_t size = 0;
    while (received.size() < count &&
           SSL_read_ex(session_.get(), bytes.data(),
                       std::min(bytes.size(), count - received.size()), &size) == 1) {
      received.append(bytes.data(), size);
    }
    return received;
  }
  std::string receive_until(std::string_view end) {
    std::string received;
    while (!received.ends_with(end)) {
      const std::string more = receive(1);
      if (more.empty()) break;
      received += more;
    }
    return received;
  }
  // After which the server may still send.
  void end_sending() { SSL_shutdown(session_.get()); }
  [[nodiscard]] bool was_told_the_end() const {
    return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  TestClient plain_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  TlsSession session_;
  bool connected_ = false;
};

class TlsTest : public ::testing::Test {
 protected:
  static ServerOptions options(const TlsIdentity& identity) {
    ServerOptions options;
    options.tls = TlsOptions{identity, {"gateway", "feed"}};
    return options;
  }
  core::Result<Response> ask(std::optional<ClientTls> tls, const std::string& path = "/hello") {
    Client client({.tls = std::move(tls)});
    std::promise<core::Result<Response>> answer;
    client.get({"127.0.0.1:" + std::to_string(running.port()), path, {}, {}},
               [&](core::Result<Response> came) { answer.set_value(std::move(came)); });
    return answer.get_future().get();
  }

  TestAuthority authority;
  TestAuthority another;
  TlsIdentity gateway = authority.certify("gateway");
  RunningServer running{options(authority.certify("accounts"))};
};

TEST_F(TlsTest, ClientsThatShowACertificateAreAnswered) {
  for (const char* name : {"gateway", "feed"}) {
    const auto answer = ask(ClientTls{authority.certify(name), "accounts"});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "hello");
  }
}

TEST_F(TlsTest, NobodyElseIsHeard) {
  const std::vector<std::pair<const char*, std::optional<ClientTls>>> refused = {
      {"in clear", std::nullopt},
      {"a name that is not let in", ClientTls{authority.certify("scoring"), "accounts"}},
      {"a certificate of another authority",
       ClientTls{{another.certify("gateway").certificate, another.certify("gateway").key,
                  gateway.authority},
                 "accounts"}}};
  for (const auto& [who, tls] : refused) EXPECT_FALSE(ask(tls).ok()) << who;
  TlsTestClient without(running.port(), nullptr);
  // The server's refusal comes with the first read.
  without.send(get("/hello"));
  EXPECT_EQ(without.receive(1), "");
  EXPECT_TRUE(eventually([&] { return running.server->connections() == 0; }));
  EXPECT_TRUE(running.observer.entries().empty());
}

TEST_F(TlsTest, AClientSpeaksToNoOtherServer) {
  EXPECT_FALSE(ask(ClientTls{gateway, "projects"}).ok());
  const TlsIdentity strange{gateway.certificate, gateway.key, another.certify("x").authority};
  EXPECT_FALSE(ask(ClientTls{strange, "accounts"}).ok());
}

TEST_F(TlsTest, LargeAnswersComeWholeToWhoeverReadsSlowly) {
  TlsTestClient client(running.port(), &gateway);
  ASSERT_TRUE(client.connected());
  ASSERT_TRUE(client.send(get("/large")));
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_NE(head.find("200 OK"), std::string::npos);
  constexpr std::size_t kBytes = 32 * 1024 * 1024;
  EXPECT_TRUE(client.receive(kBytes) == std::string(kBytes, 'x'));
  ASSERT_TRUE(client.send(get("/hello")));
  EXPECT_TRUE(client.receive_until("hello").ends_with("hello"));
}

TEST_F(TlsTest, BodiesOfManyRecordsAndRequestsAheadAreAnsweredInOrder) {
  TlsTestClient client(running.port(), &gateway);
  const std::string body(1000 * 1000, 'b');
  ASSERT_TRUE(client.send(post("Expect: 100-continue\r\nContent-Length: 1000000\r\n", "")));
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.send(body));
  client.receive_until("\r\n\r\n");
  EXPECT_TRUE(client.receive(body.size()) == body);
  std::string ahead;
  for (int i = 0; i < 100; ++i) ahead += get("/echo/n" + std::to_string(i));
  ASSERT_TRUE(client.send(ahead));
  for (int i = 0; i < 100; ++i) {
    client.receive_until("\r\n\r\n");
    const std::string expected = "n" + std::to_string(i);
    ASSERT_EQ(client.receive(expected.size()), expected);
  }
}

TEST_F(TlsTest, EventsComeWhenTheyAreSent) {
  TlsTestClient client(running.port(), &gateway);
  ASSERT_TRUE(client.send(get("/events/ada")));
  client.receive_until("\r\n\r\n");
  ASSERT_EQ(running.listeners.send_to_all("7"), 1);
  EXPECT_NE(client.receive_until("ada\n\n\r\n").find("id: 7"), std::string::npos);
}

TEST_F(TlsTest, WhoHasEndedItsSendingGetsTheAnswerAndIsToldTheEnd) {
  TlsTestClient client(running.port(), &gateway);
  ASSERT_TRUE(client.send(get("/wait")));
  ASSERT_TRUE(running.gate.wait_for_visitors(1));
  client.end_sending();
  running.gate.open();
  EXPECT_TRUE(client.receive_until("waited").ends_with("waited"));
  EXPECT_EQ(client.receive(1), "");
  EXPECT_TRUE(client.was_told_the_end());
}

TEST_F(TlsTest, ADrainTellsTheEndToThoseWhoAskNothing) {
  TlsTestClient idle(running.port(), &gateway);
  ASSERT_TRUE(idle.send(get("/hello")));
  EXPECT_TRUE(idle.receive_until("hello").ends_with("hello"));
  EXPECT_TRUE(running.server->drain(std::chrono::seconds(10)));
  EXPECT_EQ(idle.receive(1), "");
  EXPECT_TRUE(idle.was_told_the_end());
}

TEST_F(TlsTest, HandshakesThatDoNotEndAreGivenUp) {
  ServerOptions hasty = options(authority.certify("accounts"));
  hasty.first_byte_timeout = std::chrono::milliseconds(50);
  RunningServer server(hasty);
  TestClient silent(server.port());
  EXPECT_TRUE(silent.ended());
  TestClient begun(server.port());
  ASSERT_TRUE(begun.send(std::string("\x16\x03\x01\x02\x00\x01", 6)));
  EXPECT_TRUE(begun.ended());
}

TEST_F(TlsTest, RenewedFilesAreUsedWithoutARestart) {
  const std::string before = authority.certify("accounts").certificate;
  // Of another authority, which is the only one that this client believes.
  const TlsIdentity renewed = another.certify("accounts");
  const ClientTls changed{another.certify("gateway"), "accounts"};
  ASSERT_FALSE(ask(changed).ok());
  const auto replace = std::filesystem::copy_options::overwrite_existing;
  const std::filesystem::path folder = std::filesystem::path(before).parent_path();
  std::filesystem::copy_file(renewed.certificate, before, replace);
  std::filesystem::copy_file(renewed.key, folder / "accounts.key", replace);
  std::filesystem::copy_file(renewed.authority, folder / "authority.pem", replace);
  EXPECT_TRUE(eventually([&] { return ask(changed).ok(); }));
}

TEST_F(TlsTest, FilesThatCannotBeUsedChangeNothing) {
  const TlsIdentity files = authority.certify("accounts");
  std::ofstream(files.key) << "no key\n";
  EXPECT_TRUE(eventually([&] {
    const auto answer = ask(ClientTls{gateway, "accounts"});
    EXPECT_TRUE(answer.ok());
    return running.observer.tls_trouble().find("accounts.key") != std::string::npos;
  }));
  EXPECT_TRUE(ask(ClientTls{gateway, "accounts"}).ok());
}

TEST(TlsServer, WhatCannotBeUsedIsToldByItsFile) {
  TestAuthority authority;
  TestAuthority another;
  const TlsIdentity good = authority.certify("accounts");
  const auto load = [](TlsIdentity identity, std::vector<std::string> clients) {
    const auto loaded = TlsServer::load({std::move(identity), std::move(clients)}, [](auto) {});
    return loaded ? std::string() : loaded.error().message;
  };
  EXPECT_EQ(load(good, {"gateway"}), "");
  EXPECT_EQ(load(good, {}), "no client is named");
  TlsIdentity wrong = good;
  wrong.key = another.certify("accounts").key;
  EXPECT_TRUE(load(wrong, {"gateway"}).starts_with(wrong.key));
  wrong = good;
  wrong.authority = "/no/such/ca.pem";
  EXPECT_TRUE(load(wrong, {"gateway"}).starts_with("/no/such/ca.pem: "));
  wrong = good;
  wrong.certificate = good.key;
  EXPECT_TRUE(load(wrong, {"gateway"}).starts_with(good.key));
}

}  // namespace
}  // namespace tideline::http::testing
